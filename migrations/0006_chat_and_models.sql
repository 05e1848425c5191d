CREATE TABLE "chat_attachments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"chat_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"file_path" text NOT NULL,
	"filename" text NOT NULL,
	"mime_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"message_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"auth_type" text DEFAULT 'api_key' NOT NULL,
	"key_name" text NOT NULL,
	"encrypted_value" text NOT NULL,
	"base_url" text,
	"provider_metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "user_models" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"model_id" text NOT NULL,
	"model_name" text NOT NULL,
	"provider" text NOT NULL,
	"pricing_input" numeric,
	"pricing_output" numeric,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_providers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"base_url" text NOT NULL,
	"api_type" text NOT NULL,
	"default_headers_encrypted" text,
	"available_models" text[] DEFAULT '{}' NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"iteration" integer NOT NULL,
	"call_id" text NOT NULL,
	"tool" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"response" text,
	"answered_by" uuid,
	"answered_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "usage_logs_task_iteration_unique";--> statement-breakpoint
DROP INDEX "agents_slug_unique";--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "team_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "tools" text[];--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "updated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "edit_mode" text;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "allowed_tools" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "is_titled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "summary" text;--> statement-breakpoint
ALTER TABLE "chats" ADD COLUMN "summarized_through" uuid;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "edit_mode" text DEFAULT 'allow' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "max_iterations" integer;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "compaction" jsonb;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "team_id" uuid;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "purpose" text DEFAULT 'agent' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "cost_input" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "cost_output" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "cost_total" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "credits_deducted" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "daily_credits_reset_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "credits_reset_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "signup_bonus_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "disabled_models" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_models" ADD CONSTRAINT "user_models_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_providers" ADD CONSTRAINT "user_providers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_answered_by_users_id_fk" FOREIGN KEY ("answered_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chat_attachments_chat" ON "chat_attachments" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_user" ON "chat_attachments" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_message" ON "chat_attachments" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_unbound" ON "chat_attachments" USING btree ("created_at") WHERE "chat_attachments"."message_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "user_api_keys_name_unique" ON "user_api_keys" USING btree ("user_id","provider","key_name") WHERE "user_api_keys"."is_active";--> statement-breakpoint
CREATE INDEX "user_api_keys_user" ON "user_api_keys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "user_models_model_unique" ON "user_models" USING btree ("user_id","model_id","provider") WHERE "user_models"."is_active";--> statement-breakpoint
CREATE UNIQUE INDEX "user_providers_slug_unique" ON "user_providers" USING btree ("user_id","slug") WHERE "user_providers"."is_active";--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_task_call_unique" ON "approvals" USING btree ("task_id","iteration","call_id");--> statement-breakpoint
CREATE INDEX "approvals_answered_by" ON "approvals" USING btree ("answered_by");--> statement-breakpoint
CREATE INDEX "approvals_open" ON "approvals" USING btree ("expires_at") WHERE "approvals"."response" IS NULL;--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD CONSTRAINT "external_api_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "external_api_keys_agent" ON "external_api_keys" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "agents_team" ON "agents" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "agents_created_by" ON "agents" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "chats_agent" ON "chats" USING btree ("agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "usage_logs_call_unique" ON "usage_logs" USING btree ("task_id","iteration","purpose");--> statement-breakpoint
CREATE INDEX "usage_logs_team_created" ON "usage_logs" USING btree ("team_id","created_at");--> statement-breakpoint
CREATE INDEX "usage_logs_project" ON "usage_logs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "usage_logs_agent" ON "usage_logs" USING btree ("agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_slug_unique" ON "agents" USING btree (coalesce("team_id", '00000000-0000-0000-0000-000000000000'::uuid),"slug") WHERE "agents"."is_active";--> statement-breakpoint
UPDATE "usage_logs" SET "billed_status" = 'pending' WHERE "billed_status" = 'platform';--> statement-breakpoint
-- Who registered before there was a bonus gets it now.
UPDATE "teams" SET "signup_bonus_credits" = 15000, "signup_bonus_expires_at" = now() + interval '60 days'
WHERE "is_personal" AND "signup_bonus_credits" = 0 AND "bundled_credits" = 0 AND "purchased_credits" = 0;
