"""The audit's own view of the procedure, written from the clauses: it shares no code with the tables it looks at.

Enters: the events of a table, one after another, as the journal has them. Leaves: findings. Nothing of `taisai.table`,
of the limits or of the settlement is imported here: a second record of each table is kept (`course`), a second reading
of the four books (`reading`) and of the limits (`limits`). A gate holds that.
"""
