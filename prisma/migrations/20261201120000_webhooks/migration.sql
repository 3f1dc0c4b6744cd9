-- Those outside are told when the status of a run changes.
CREATE TYPE "webhook_event" AS ENUM ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_PAUSED', 'RUN_CANCELLED', 'RUN_BUDGET_REACHED', 'TEST');

-- CreateEnum
CREATE TYPE "webhook_delivery_status" AS ENUM ('PENDING', 'SUCCEEDED', 'FAILED');

-- CreateTable
CREATE TABLE "run_status_change" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "status" "run_status" NOT NULL,
    "budget_reached" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_status_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" "webhook_event"[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "secrets_ciphertext" BYTEA NOT NULL,
    "secret_key_id" TEXT NOT NULL,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "run_id" UUID,
    "message_id" TEXT NOT NULL,
    "event" "webhook_event" NOT NULL,
    "body" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "last_attempt_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "duration_ms" INTEGER,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "run_status_change_run_id_idx" ON "run_status_change"("run_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_team_id_id_key" ON "webhook"("team_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_id_idx" ON "webhook_delivery"("webhook_id", "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_team_id_created_at_idx" ON "webhook_delivery"("team_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_run_id_idx" ON "webhook_delivery"("run_id");

-- AddForeignKey
ALTER TABLE "run_status_change" ADD CONSTRAINT "run_status_change_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_team_id_webhook_id_fkey" FOREIGN KEY ("team_id", "webhook_id") REFERENCES "webhook"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Only a change that is told to those outside waits for that; only a pause has to do with a budget.
ALTER TABLE "run_status_change" ADD CONSTRAINT "run_status_change_told_check"
  CHECK (status IN ('PAUSED', 'CANCELLED', 'COMPLETED', 'FAILED') AND (NOT budget_reached OR status = 'PAUSED'));
-- One that is switched off by the service says why.
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_disabled_check" CHECK (disabled_reason IS NULL OR NOT enabled);
-- What waits for an attempt says when it is made, and what is given up says why.
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_end_check"
  CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL) AND (status <> 'FAILED' OR error IS NOT NULL)
    AND (status <> 'SUCCEEDED' OR response_status BETWEEN 200 AND 299));

SELECT assay_protect('run_status_change'), assay_protect('webhook'), assay_protect('webhook_delivery');
