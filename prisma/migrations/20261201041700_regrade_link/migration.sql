-- A run whose replies were graded anew may be deleted: the copies stand alone, and keep the id as history.
ALTER TABLE "run" DROP CONSTRAINT "run_team_id_regrade_of_id_fkey";
