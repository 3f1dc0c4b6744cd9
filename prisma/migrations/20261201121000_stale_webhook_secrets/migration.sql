-- Beyond a team: which signing secrets of webhooks were not sealed with the present secret key. prisma/roles.sql gives
-- it its owner, who sees no more of a webhook than this.
CREATE FUNCTION "assay_stale_webhooks"("present_key_id" text, "after" uuid, "most" int)
RETURNS TABLE ("id" uuid, "team_id" uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT w.id, w.team_id FROM webhook w
  WHERE w.secret_key_id <> present_key_id AND w.id > after ORDER BY w.id LIMIT most
$$;
