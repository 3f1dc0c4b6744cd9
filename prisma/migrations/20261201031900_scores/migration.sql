-- How a run is scored, frozen with it. Runs of before had the one profile and no length constants.
ALTER TABLE "run" ADD COLUMN "scoring" JSONB;
UPDATE "run" SET "scoring" =
  '{"profile":"healthbench","version":1,"lengthRule":null,"notComparable":false,"deviations":[]}'::jsonb;
ALTER TABLE "run" ALTER COLUMN "scoring" SET NOT NULL;

ALTER TABLE "run_conversation" ADD COLUMN "worst_score" DOUBLE PRECISION,
  ADD COLUMN "best_score" DOUBLE PRECISION,
  ADD COLUMN "reply_length" INTEGER,
  ADD COLUMN "hits" INTEGER[],
  ADD COLUMN "tag_hits" INTEGER[];
-- Of conversations that were not fully graded before, the bounds are those of no verdict at all: wider, and true.
UPDATE "run_conversation" rc SET
  "worst_score" = coalesce(rc."score", sums.penalty / nullif(sums.possible, 0), 0),
  "best_score" = coalesce(rc."score", 1)
FROM (
  SELECT "dataset_id", "conversation_no", sum(least("points", 0)) AS penalty, sum(greatest("points", 0)) AS possible
  FROM "rubric_criterion" GROUP BY 1, 2
) AS sums, "run"
WHERE "run"."id" = rc."run_id" AND sums."dataset_id" = "run"."dataset_id"
  AND sums."conversation_no" = rc."conversation_no";
ALTER TABLE "run_conversation" ALTER COLUMN "worst_score" SET NOT NULL,
  ALTER COLUMN "best_score" SET NOT NULL;

-- Stored aggregates can be had again from the conversations; they are dropped rather than kept without an interval.
DELETE FROM "run_score";
ALTER TABLE "run_score" ALTER COLUMN "interval_low" DROP NOT NULL,
  ALTER COLUMN "interval_high" DROP NOT NULL,
  ADD COLUMN "conversations" INTEGER NOT NULL,
  ADD COLUMN "standard_error" DOUBLE PRECISION,
  ADD COLUMN "lower_bound" DOUBLE PRECISION NOT NULL,
  ADD COLUMN "upper_bound" DOUBLE PRECISION NOT NULL,
  ADD COLUMN "adjusted_value" DOUBLE PRECISION,
  ADD COLUMN "adjusted_unclipped_mean" DOUBLE PRECISION,
  ADD COLUMN "adjusted_bootstrap_std" DOUBLE PRECISION,
  ADD COLUMN "adjusted_standard_error" DOUBLE PRECISION,
  ADD COLUMN "adjusted_interval_low" DOUBLE PRECISION,
  ADD COLUMN "adjusted_interval_high" DOUBLE PRECISION,
  ADD COLUMN "repeats" JSONB,
  ADD COLUMN "scores" BYTEA NOT NULL;
ALTER TABLE "run_tag_score" ALTER COLUMN "value" DROP NOT NULL,
  ALTER COLUMN "unclipped_mean" DROP NOT NULL,
  ADD COLUMN "standard_error" DOUBLE PRECISION,
  ADD COLUMN "interval_low" DOUBLE PRECISION,
  ADD COLUMN "interval_high" DOUBLE PRECISION,
  ADD COLUMN "positive_met" INTEGER NOT NULL,
  ADD COLUMN "positive_graded" INTEGER NOT NULL,
  ADD COLUMN "negative_met" INTEGER NOT NULL,
  ADD COLUMN "negative_graded" INTEGER NOT NULL;

ALTER TABLE "run_conversation" ADD CONSTRAINT "run_conversation_bounds"
  CHECK ("worst_score" <= "best_score" AND "best_score" <= 1.000001 AND "reply_length" >= 0);
ALTER TABLE "run_score" ADD CONSTRAINT "run_score_bounds"
  CHECK ("lower_bound" <= "upper_bound" AND "lower_bound" >= 0 AND "upper_bound" <= 1);
ALTER TABLE "run_tag_score" ADD CONSTRAINT "run_tag_score_defined" CHECK (("value" IS NULL) = ("n" = 0));
