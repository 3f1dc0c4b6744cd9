-- Who may do what in the database. Run after the migrations at every start that migrates, in one transaction; the
-- second time it changes nothing. Roles belong to the whole server and not to one database, so they are no migration.
--
-- assay_service  what the service works as: owns nothing, and every row it touches passes the policy of its table
-- assay_system   owns the few functions that look beyond a team, and may read just what those need

SELECT pg_advisory_xact_lock(hashtext('assay roles'));

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['assay_service', 'assay_system'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- Another database of this server was quicker.
      END;
    END IF;
    -- From Postgres 16 on, a membership may come without the right to SET ROLE.
    IF NOT pg_has_role(current_user, wanted,
      CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
      EXECUTE format('GRANT %I TO %I', wanted, current_user);
    END IF;
  END LOOP;
END $$;

DO $$
DECLARE
  item record;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO assay_service, assay_system', current_schema());
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO assay_service', current_schema());
  FOR item IN
    SELECT c.oid::regclass AS name, c.relforcerowsecurity AS forced,
      c.relname = 'team' OR EXISTS (SELECT FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'team_id' AND a.attnotnull AND NOT a.attisdropped) AS has_team,
      coalesce(obj_description(c.oid, 'pg_class') LIKE 'shared by all teams%', false) AS shared,
      coalesce(obj_description(c.oid, 'pg_class') LIKE 'append-only%', false) AS append_only
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> '_prisma_migrations'
  LOOP
    IF item.has_team THEN
      PERFORM assay_protect(item.name);
      -- The owner is freed while migrations run.
      IF NOT item.forced THEN
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', item.name);
      END IF;
    ELSIF NOT item.shared THEN
      RAISE EXCEPTION 'Table % has no column team_id NOT NULL, so nothing would keep teams apart in it. Add one, or say in a comment on the table that it is "shared by all teams: …" and why.', item.name;
    END IF;
    EXECUTE format('GRANT SELECT, INSERT ON %s TO assay_service', item.name);
    IF NOT item.append_only THEN
      EXECUTE format('GRANT UPDATE, DELETE ON %s TO assay_service', item.name);
    END IF;
  END LOOP;
END $$;

-- The queue: its rows hold ids of runs and nothing of what is in them. Plain rights, and none to change its tables.
DO $$
BEGIN
  IF to_regnamespace('pgboss') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA pgboss TO assay_service;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO assay_service;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA pgboss TO assay_service;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgboss TO assay_service;
  END IF;
END $$;

-- What the functions beyond a team may read.
GRANT SELECT (id, team_id, name, role, hash, expires_at, revoked_at, last_used_at), UPDATE (last_used_at)
  ON api_key TO assay_system;
GRANT SELECT (id, name, delete_runs_after_days, retention_applied_at) ON team TO assay_system;
GRANT SELECT ON erased_team TO assay_system;
GRANT SELECT (id, team_id, status) ON run TO assay_system;
GRANT SELECT (id) ON dataset TO assay_system;
GRANT SELECT (last_sequence) ON verdict_log TO assay_system;
GRANT SELECT (id, team_id, secret_key_id) ON model_endpoint TO assay_system;
GRANT SELECT (id, team_id, secret_key_id) ON webhook TO assay_system;

DO $$
DECLARE
  item record;
BEGIN
  FOR item IN SELECT unnest(ARRAY['api_key', 'team', 'run', 'dataset', 'verdict_log', 'model_endpoint', 'erased_team', 'webhook'])::regclass AS name LOOP
    IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = item.name AND polname = 'beyond_teams') THEN
      EXECUTE format('CREATE POLICY beyond_teams ON %s TO assay_system USING (true)', item.name);
    END IF;
  END LOOP;
  -- A new owner needs the right to create in the schema, for this moment only.
  EXECUTE format('GRANT CREATE ON SCHEMA %I TO assay_system', current_schema());
  FOR item IN
    SELECT p.oid::regprocedure AS name, p.proowner::regrole::text AS owner FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef AND p.proname LIKE 'assay\_%'
  LOOP
    IF item.owner <> 'assay_system' THEN
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', item.name);
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO assay_service', item.name);
      EXECUTE format('ALTER FUNCTION %s OWNER TO assay_system', item.name);
    END IF;
  END LOOP;
  EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM assay_system', current_schema());
END $$;
