"""What a gendered noun or title becomes, and which stay."""
