-- A key may end by itself.
ALTER TABLE "api_key" ADD COLUMN "expires_at" TIMESTAMPTZ(3);

-- The team of the transaction; null where none is set, and then no policy lets a row through.
CREATE FUNCTION "assay_team"() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT NULLIF(current_setting('app.team_id', true), '')::uuid
$$;

-- Row-level security for one table. Written as (SELECT …), the setting is read once a statement and not once a row.
CREATE FUNCTION "assay_protect"("target" regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  "key" text := CASE WHEN (SELECT relname FROM pg_class WHERE oid = "target") = 'team' THEN 'id' ELSE 'team_id' END;
BEGIN
  IF EXISTS (SELECT FROM pg_policy WHERE polrelid = "target" AND polname = 'team_isolation') THEN
    RETURN;
  END IF;
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', "target");
  EXECUTE format(
    'CREATE POLICY team_isolation ON %s USING (%I = (SELECT assay_team())) WITH CHECK (%I = (SELECT assay_team()))',
    "target", "key", "key");
END $$;

-- Every table that has a team. Tables of later migrations are found by prisma/roles.sql.
SELECT assay_protect(c.oid) FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND (c.relname = 'team' OR EXISTS (SELECT FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = 'team_id' AND NOT a.attisdropped));

-- All that may look beyond a team. prisma/roles.sql gives these functions to a role that sees no more than they need.

-- The key with this hash, if it is alive; notes once a minute that it was used.
CREATE FUNCTION "assay_authenticate"("key_hash" bytea)
RETURNS TABLE ("id" uuid, "team_id" uuid, "name" text, "role" "role", "expires_at" timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH found AS (
    SELECT k.id, k.team_id, k.name, k.role, k.expires_at, k.last_used_at FROM api_key k
    WHERE k.hash = key_hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
  ), used AS (
    UPDATE api_key SET last_used_at = now() WHERE api_key.id IN (
      SELECT f.id FROM found f WHERE f.last_used_at IS NULL OR f.last_used_at < now() - interval '1 minute')
  )
  SELECT f.id, f.team_id, f.name, f.role, f.expires_at FROM found f
$$;

-- Runs that should be going on, oldest first: what a crash left behind is found here.
CREATE FUNCTION "assay_open_runs"("most" int) RETURNS TABLE ("id" uuid, "team_id" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT run.id, run.team_id FROM run WHERE run.status IN ('QUEUED', 'RUNNING') ORDER BY run.id LIMIT most
$$;

-- The status of the runs that a worker has in hand.
CREATE FUNCTION "assay_run_statuses"("ids" uuid[]) RETURNS TABLE ("id" uuid, "status" "run_status")
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT run.id, run.status FROM run WHERE run.id = ANY(ids)
$$;

-- The team that a sign-in names, by id or by name.
CREATE FUNCTION "assay_find_team"("id_or_name" text) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT team.id FROM team WHERE team.id::text = id_or_name OR team.name = id_or_name
  ORDER BY (team.id::text = id_or_name) DESC LIMIT 1
$$;

-- What the operator may see: counts and nothing else. Also how the first start knows that there is no team.
CREATE FUNCTION "assay_counts"()
RETURNS TABLE ("teams" bigint, "api_keys" bigint, "datasets" bigint, "runs" bigint, "open_runs" bigint, "verdicts" bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT (SELECT count(*) FROM team),
    (SELECT count(*) FROM api_key k WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())),
    (SELECT count(*) FROM dataset), (SELECT count(*) FROM run),
    (SELECT count(*) FROM run WHERE run.status IN ('QUEUED', 'RUNNING', 'PAUSED')),
    (SELECT coalesce(sum(last_sequence), 0)::bigint FROM verdict_log)
$$;
