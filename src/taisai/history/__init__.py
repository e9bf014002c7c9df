"""The history of a house as Parquet, for engines that read more than one machine holds.

Enters: a journal. Leaves: a folder of Parquet files with rounds, bets, postings and events (`export`), and what is
asked of it on DuckDB or Spark by one query text: bets settled again, reports, dice, fairness.

From the bottom: `schema` (the columns), `rows` (records as rows), `folder` (what is written and vouched for), `merge`
(many small files into one), `export` (the journal into the folder); `payouts` and `calendar` (small tables that are
joined), `queries` (the text), `engines` (who runs it); `resettled`, `reported`, `fairness` (the answers).
"""
