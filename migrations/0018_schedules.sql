CREATE TABLE "schedule_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"schedule_id" uuid NOT NULL,
	"scheduled_for" timestamp (3) with time zone,
	"is_late" boolean DEFAULT false NOT NULL,
	"missed" integer DEFAULT 0 NOT NULL,
	"status" text NOT NULL,
	"task_id" uuid NOT NULL,
	"error" text,
	"is_silent" boolean DEFAULT false NOT NULL,
	"deliveries" jsonb,
	"published_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid,
	"agent_id" uuid,
	"api_key_id" uuid,
	"name" text NOT NULL,
	"schedule" text NOT NULL,
	"normalized_cron" text NOT NULL,
	"timing" jsonb NOT NULL,
	"timezone" text NOT NULL,
	"anchor_at" timestamp (3) with time zone NOT NULL,
	"prompt_template" text NOT NULL,
	"deliver" text NOT NULL,
	"edit_mode" text NOT NULL,
	"catch_up" text DEFAULT 'once' NOT NULL,
	"overlap" text DEFAULT 'skip' NOT NULL,
	"repeat" integer,
	"origin_platform" text,
	"origin_chat_id" text,
	"origin_chat_type" text,
	"origin_thread_id" text,
	"origin_config_id" uuid,
	"is_active" boolean DEFAULT true NOT NULL,
	"paused_reason" text,
	"next_run_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"runs_completed" integer DEFAULT 0 NOT NULL,
	"failures_in_row" integer DEFAULT 0 NOT NULL,
	"last_run_at" timestamp (3) with time zone,
	"last_status" text,
	"last_error" text,
	"last_task_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "schedule_runs" ADD CONSTRAINT "schedule_runs_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_api_key_id_external_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."external_api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_origin_config_id_channel_configs_id_fk" FOREIGN KEY ("origin_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_moment_unique" ON "schedule_runs" USING btree ("schedule_id","scheduled_for");--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_task_unique" ON "schedule_runs" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "schedule_runs_page" ON "schedule_runs" USING btree ("schedule_id","id");--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("published_at") WHERE "schedule_runs"."status" IN ('enqueued', 'waiting', 'running');--> statement-breakpoint
CREATE INDEX "schedules_user" ON "schedules" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_run_at") WHERE "schedules"."is_active";--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "schedules_agent" ON "schedules" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "schedules_key" ON "schedules" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "schedules_origin" ON "schedules" USING btree ("origin_config_id");