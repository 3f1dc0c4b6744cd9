-- Who did what to what, when and from where.
CREATE TYPE "audit_outcome" AS ENUM ('DONE', 'REFUSED', 'FAILED');
CREATE TYPE "actor_kind" AS ENUM ('KEY', 'PERSON', 'LINK', 'OPERATOR', 'SYSTEM');

CREATE TABLE "audit_event" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "outcome" "audit_outcome" NOT NULL,
    "code" TEXT,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_name" TEXT,
    "actor_role" TEXT,
    "key_id" UUID,
    "address" TEXT,
    "request_id" TEXT,
    "subject_type" TEXT,
    "subject_key" TEXT,
    "subject_name" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "audit_event_team_id_id_idx" ON "audit_event"("team_id", "id" DESC);
CREATE INDEX "audit_event_team_id_subject_type_subject_key_id_idx" ON "audit_event"("team_id", "subject_type", "subject_key", "id" DESC);

-- The events of a team go with the team, and in no other way.
ALTER TABLE "audit_event" ADD CONSTRAINT "audit_event_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What is left of a team that was erased. No foreign key: the team is gone.
CREATE TABLE "erased_team" (
    "team_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "by" "actor_kind" NOT NULL,
    "address" TEXT,
    "deleted" JSONB NOT NULL,

    CONSTRAINT "erased_team_pkey" PRIMARY KEY ("team_id")
);

-- prisma/roles.sql reads this: the service may add rows and read them, and nothing else.
COMMENT ON TABLE "audit_event" IS 'append-only';
COMMENT ON TABLE "erased_team" IS 'append-only';

-- How long a team keeps its runs.
ALTER TABLE "team" ADD COLUMN "delete_runs_after_days" INTEGER,
  ADD COLUMN "keep_aggregates" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "retention_applied_at" TIMESTAMPTZ(3);
ALTER TABLE "team" ADD CONSTRAINT "team_retention" CHECK ("delete_runs_after_days" > 0);
ALTER TABLE "run" ADD COLUMN "details_deleted_at" TIMESTAMPTZ(3);
ALTER TABLE "dataset" ADD COLUMN "archived_at" TIMESTAMPTZ(3);

-- Goes with its run, and is never written for a run that is gone.
ALTER TABLE "failed_call" ADD CONSTRAINT "failed_call_team_id_run_id_fkey" FOREIGN KEY ("team_id", "run_id") REFERENCES "run"("team_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The teams whose retention is due: once a day.
CREATE FUNCTION "assay_retention_due"() RETURNS TABLE ("team_id" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT team.id FROM team WHERE team.delete_runs_after_days IS NOT NULL
    AND (team.retention_applied_at IS NULL OR team.retention_applied_at < now() - interval '1 day')
$$;

-- For the operator: which teams were erased, and how much went.
CREATE FUNCTION "assay_erased_teams"("most" int)
RETURNS TABLE ("team_id" uuid, "at" timestamptz, "by" "actor_kind", "deleted" jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.team_id, e.at, e.by, e.deleted FROM erased_team e ORDER BY e.at DESC, e.team_id LIMIT most
$$;
