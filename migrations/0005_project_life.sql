CREATE TABLE "background_tasks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"container_id" uuid,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"progress" jsonb DEFAULT '{"current":0,"total":100,"message":""}'::jsonb NOT NULL,
	"result" jsonb,
	"error" text,
	"logs" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "browser_previews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"connected_container_id" uuid,
	"position_x" double precision DEFAULT 0 NOT NULL,
	"position_y" double precision DEFAULT 0 NOT NULL,
	"current_path" text DEFAULT '/' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "container_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"source_container_id" uuid NOT NULL,
	"target_container_id" uuid NOT NULL,
	"label" text,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "containers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"name" text NOT NULL,
	"label" text NOT NULL,
	"directory" text DEFAULT '' NOT NULL,
	"container_type" text DEFAULT 'base' NOT NULL,
	"deployment_mode" text DEFAULT 'container' NOT NULL,
	"external_endpoint" text,
	"base_id" text,
	"image" text,
	"service_slug" text,
	"service_type" text,
	"port" integer,
	"internal_port" integer,
	"startup_command" text,
	"build_command" text,
	"output_directory" text,
	"framework" text,
	"deployment_provider" text,
	"icon" text,
	"tech_stack" text[] DEFAULT '{}' NOT NULL,
	"encrypted_env" text,
	"env_keys" text[] DEFAULT '{}' NOT NULL,
	"encrypted_credentials" text,
	"position_x" double precision DEFAULT 0 NOT NULL,
	"position_y" double precision DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'stopped' NOT NULL,
	"wanted" boolean DEFAULT true NOT NULL,
	"error" text,
	"started_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "git_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"auth_type" text NOT NULL,
	"encrypted_token" text NOT NULL,
	"encrypted_refresh_token" text,
	"expires_at" timestamp (3) with time zone,
	"username" text,
	"email" text,
	"scope" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "repositories" (
	"project_id" uuid PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"repo_url" text NOT NULL,
	"repo_owner" text NOT NULL,
	"repo_name" text NOT NULL,
	"default_branch" text NOT NULL,
	"user_id" uuid NOT NULL,
	"sync_status" text NOT NULL,
	"progress" text,
	"error" text,
	"generation" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_sync_at" timestamp (3) with time zone,
	"last_commit_sha" text,
	"auto_push" boolean DEFAULT false NOT NULL,
	"auto_pull" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "command_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"command" text NOT NULL,
	"working_dir" text NOT NULL,
	"risk_level" text NOT NULL,
	"dry_run" boolean DEFAULT false NOT NULL,
	"success" boolean NOT NULL,
	"exit_code" integer,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shell_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"command" text NOT NULL,
	"working_dir" text NOT NULL,
	"status" text NOT NULL,
	"exit_code" integer,
	"read_position" bigint DEFAULT 0 NOT NULL,
	"bytes_written" bigint DEFAULT 0 NOT NULL,
	"total_reads" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_activity_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "bases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"visibility" text DEFAULT 'private' NOT NULL,
	"created_by" uuid NOT NULL,
	"file_count" integer NOT NULL,
	"total_bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bases_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "snapshots" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"parent_hash" text,
	"role" text NOT NULL,
	"label" text NOT NULL,
	"file_count" integer NOT NULL,
	"total_bytes" bigint NOT NULL,
	"packs" text[] NOT NULL,
	"chat_id" uuid,
	"task_id" uuid,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "source" jsonb;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "set_up_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "wanted" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "lease_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "progress" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "error" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "started_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "hibernated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "idle_warned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "background_tasks" ADD CONSTRAINT "background_tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_previews" ADD CONSTRAINT "browser_previews_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_previews" ADD CONSTRAINT "browser_previews_connected_container_id_containers_id_fk" FOREIGN KEY ("connected_container_id") REFERENCES "public"."containers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_source_container_id_containers_id_fk" FOREIGN KEY ("source_container_id") REFERENCES "public"."containers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_target_container_id_containers_id_fk" FOREIGN KEY ("target_container_id") REFERENCES "public"."containers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "containers" ADD CONSTRAINT "containers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_connections" ADD CONSTRAINT "git_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_runs" ADD CONSTRAINT "command_runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_runs" ADD CONSTRAINT "command_runs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shell_sessions" ADD CONSTRAINT "shell_sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shell_sessions" ADD CONSTRAINT "shell_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bases" ADD CONSTRAINT "bases_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "background_tasks_user" ON "background_tasks" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "background_tasks_project" ON "background_tasks" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "browser_previews_project" ON "browser_previews" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "container_connections_pair" ON "container_connections" USING btree ("source_container_id","target_container_id");--> statement-breakpoint
CREATE INDEX "container_connections_project" ON "container_connections" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "containers_label_unique" ON "containers" USING btree ("project_id","label");--> statement-breakpoint
CREATE UNIQUE INDEX "git_connections_provider_unique" ON "git_connections" USING btree ("user_id","provider");--> statement-breakpoint
CREATE INDEX "command_runs_project" ON "command_runs" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "shell_sessions_project" ON "shell_sessions" USING btree ("project_id","status");--> statement-breakpoint
CREATE INDEX "shell_sessions_user" ON "shell_sessions" USING btree ("user_id","status");--> statement-breakpoint
CREATE INDEX "bases_by_creator" ON "bases" USING btree ("created_by");--> statement-breakpoint
CREATE UNIQUE INDEX "snapshots_hash_unique" ON "snapshots" USING btree ("project_id","hash");--> statement-breakpoint
CREATE INDEX "snapshots_by_task" ON "snapshots" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "projects_wanted" ON "projects" USING btree ("wanted") WHERE "projects"."wanted" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "projects_running" ON "projects" USING btree ("last_activity") WHERE "projects"."status" = 'running';--> statement-breakpoint
UPDATE "projects" SET "set_up_at" = "created_at";
