-- Verdicts are appended in one statement, which sees the rows as they were before it got the lock of the log. This
-- number tells it whether a criterion or conversation was meanwhile ended without a verdict.
ALTER TABLE "verdict_log" ADD COLUMN "epoch" INTEGER NOT NULL DEFAULT 0;
