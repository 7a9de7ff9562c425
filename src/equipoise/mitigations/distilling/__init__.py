"""Self-distillation in parts: contexts with a gendered blank, the model's own targets, the tuning."""
