CREATE TABLE "channel_configs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid,
	"default_agent_id" uuid,
	"channel_type" text NOT NULL,
	"name" text NOT NULL,
	"encrypted_credentials" text NOT NULL,
	"encrypted_webhook_secret" text NOT NULL,
	"group_mode" text DEFAULT 'mention' NOT NULL,
	"gateway_shard" integer DEFAULT 0 NOT NULL,
	"bot_id" text,
	"bot_name" text,
	"last_error" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "channel_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_config_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"jid" text NOT NULL,
	"sender_name" text,
	"content" text NOT NULL,
	"platform_message_id" text,
	"task_id" uuid,
	"status" text NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform_identities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"platform" text NOT NULL,
	"platform_user_id" text NOT NULL,
	"platform_username" text,
	"is_verified" boolean DEFAULT false NOT NULL,
	"code_hash" text,
	"pairing_expires_at" timestamp (3) with time zone,
	"code_sent_at" timestamp (3) with time zone,
	"channel_config_id" uuid,
	"paired_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_default_agent_id_agents_id_fk" FOREIGN KEY ("default_agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD CONSTRAINT "channel_messages_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD CONSTRAINT "channel_messages_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_configs_user" ON "channel_configs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "channel_configs_project" ON "channel_configs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "channel_configs_agent" ON "channel_configs" USING btree ("default_agent_id");--> statement-breakpoint
CREATE INDEX "channel_configs_shard" ON "channel_configs" USING btree ("gateway_shard") WHERE "channel_configs"."is_active";--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_platform_unique" ON "channel_messages" USING btree ("channel_config_id","direction","platform_message_id");--> statement-breakpoint
CREATE INDEX "channel_messages_page" ON "channel_messages" USING btree ("channel_config_id","created_at","id");--> statement-breakpoint
CREATE INDEX "channel_messages_task" ON "channel_messages" USING btree ("task_id");--> statement-breakpoint
CREATE UNIQUE INDEX "platform_identities_sender_unique" ON "platform_identities" USING btree ("platform","platform_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "platform_identities_code_unique" ON "platform_identities" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "platform_identities_user" ON "platform_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "platform_identities_channel" ON "platform_identities" USING btree ("channel_config_id","pairing_expires_at");