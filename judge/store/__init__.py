"""What was asked, answered and graded, kept by content: SQLAlchemy tables on SQLite or PostgreSQL."""
