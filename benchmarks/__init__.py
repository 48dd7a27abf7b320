"""What the program costs beside what others cost: each file prints its inputs, and a ratio last."""
