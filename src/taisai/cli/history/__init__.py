"""Commands about an export: export, resettle, fairness."""
