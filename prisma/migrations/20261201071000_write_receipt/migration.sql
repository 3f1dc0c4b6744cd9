-- Says that a write was committed, for the case that its answer is lost and it is sent again.
CREATE TABLE "write_receipt" (
    "run_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "write_receipt_pkey" PRIMARY KEY ("run_id","id")
);

ALTER TABLE "write_receipt" ADD CONSTRAINT "write_receipt_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
