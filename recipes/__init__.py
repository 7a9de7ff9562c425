"""How the shipped model was made, and how near it is to the original; not part of the installed package."""
