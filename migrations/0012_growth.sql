DROP INDEX "chats_user";--> statement-breakpoint
DROP INDEX "projects_team";--> statement-breakpoint
DROP INDEX "projects_running";--> statement-breakpoint
CREATE INDEX "external_api_keys_team" ON "external_api_keys" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "admin_actions_admin" ON "admin_actions" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "admin_actions_target" ON "admin_actions" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "background_tasks_container" ON "background_tasks" USING btree ("container_id");--> statement-breakpoint
CREATE INDEX "background_tasks_completed" ON "background_tasks" USING btree ("completed_at");--> statement-breakpoint
CREATE INDEX "chats_user_project" ON "chats" USING btree ("user_id","project_id");--> statement-breakpoint
CREATE INDEX "browser_previews_container" ON "browser_previews" USING btree ("connected_container_id");--> statement-breakpoint
CREATE INDEX "container_connections_target" ON "container_connections" USING btree ("target_container_id");--> statement-breakpoint
CREATE INDEX "containers_at_work" ON "containers" USING btree ("status","project_id") WHERE "containers"."status" IN ('starting', 'running');--> statement-breakpoint
CREATE INDEX "pairing_tokens_expires" ON "pairing_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "repositories_user" ON "repositories" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "repositories_cloning" ON "repositories" USING btree ("lease_until") WHERE "repositories"."sync_status" = 'cloning';--> statement-breakpoint
CREATE INDEX "user_models_user" ON "user_models" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_providers_user" ON "user_providers" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "projects_team_newest" ON "projects" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "projects_owner" ON "projects" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "projects_default_workspace" ON "projects" USING btree ("owner_id") WHERE "projects"."settings" ->> 'default_workspace' = 'true';--> statement-breakpoint
CREATE INDEX "projects_last_used" ON "projects" USING btree (greatest("last_activity", "started_at")) WHERE "projects"."status" = 'running' AND "projects"."wanted" IS NULL;--> statement-breakpoint
CREATE INDEX "projects_idle_warned" ON "projects" USING btree ("idle_warned_at") WHERE "projects"."idle_warned_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "login_attempts_expires" ON "login_attempts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mailed_tokens_expires" ON "mailed_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "refresh_records_expires" ON "refresh_records" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "command_runs_user" ON "command_runs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "command_runs_created" ON "command_runs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "shell_sessions_open" ON "shell_sessions" USING btree ("last_activity_at") WHERE "shell_sessions"."status" IN ('initializing', 'active', 'idle');--> statement-breakpoint
CREATE INDEX "snapshots_creator" ON "snapshots" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "snapshots_by_role" ON "snapshots" USING btree ("project_id","role","id","created_at");--> statement-breakpoint
CREATE INDEX "approvals_answered" ON "approvals" USING btree ("answered_at") WHERE "approvals"."response" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "tasks_listed" ON "tasks" USING btree ("user_id","project_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_project_begun" ON "tasks" USING btree ("project_id","user_id","started_at");--> statement-breakpoint
CREATE INDEX "tasks_agent" ON "tasks" USING btree ("agent_id");