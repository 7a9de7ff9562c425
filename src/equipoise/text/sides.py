"""The two sides of gendered language, as every table and word list calls them."""

MALE, FEMALE = "male", "female"
