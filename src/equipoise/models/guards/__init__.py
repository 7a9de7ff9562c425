"""What refuses a wrong model: a foreign tokenizer, broken weights, hooks that change answers."""
