-- A streak of failures counts from here.
ALTER TABLE "run" ADD COLUMN "running_since" TIMESTAMPTZ(3);
