"""What makes vectors of documents and queries: one file for each encoder."""

from pipeline.candidates.encoders.encoder import Encoder, Vectors

__all__ = ["Encoder", "Vectors"]
