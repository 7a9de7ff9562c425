"""Models behind an address: any server that speaks OpenAI's protocol."""
