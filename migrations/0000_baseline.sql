-- The tables as they were after the 30 migrations that this file took the place of. drizzle-kit generated it from src/db/schema;
-- by hand are the order of the columns, which is that of those migrations, and the rows at the end.
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"username" text NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"password_hash" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"is_superuser" boolean DEFAULT false NOT NULL,
	"is_verified" boolean DEFAULT false NOT NULL,
	"default_team_id" uuid,
	"avatar_url" text,
	"last_active_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"bio" text,
	"twitter_handle" text,
	"github_username" text,
	"website_url" text,
	"diagram_model" text,
	"theme_preset" text,
	"chat_position" text,
	"email_asked_at" timestamp (3) with time zone,
	"stripe_account_id" text,
	CONSTRAINT "users_stripe_account_unique" UNIQUE("stripe_account_id"),
	CONSTRAINT "users_verified_holds_email" CHECK ("users"."email_asked_at" IS NULL OR NOT "users"."is_verified")
);
--> statement-breakpoint
CREATE TABLE "external_api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"team_id" uuid NOT NULL,
	"name" text NOT NULL,
	"key_hash" text,
	"key_prefix" text NOT NULL,
	"scope" text NOT NULL,
	"project_ids" uuid[],
	"scopes" text[],
	"webhook_secret_encrypted" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"agent_id" uuid,
	"previous_webhook_secret_encrypted" text,
	"previous_webhook_secret_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"api_key_id" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"task_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_api_key_id_key_pk" PRIMARY KEY("api_key_id","key")
);
--> statement-breakpoint
CREATE TABLE "message_keys" (
	"user_id" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"task_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "admin_actions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"admin_id" uuid,
	"action_type" text NOT NULL,
	"target_type" text NOT NULL,
	"target_id" text NOT NULL,
	"reason" text,
	"details" jsonb,
	"ip_address" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"project_id" uuid,
	"user_id" uuid,
	"action" text NOT NULL,
	"resource_type" text NOT NULL,
	"resource_id" text,
	"details" jsonb,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
	"updated_at" timestamp (3) with time zone,
	"inbound_mode" text DEFAULT 'webhook' NOT NULL,
	"has_reactions" boolean DEFAULT true NOT NULL,
	"connection_state" text,
	"bot_team_id" text,
	"bot_app_id" text,
	"proved_at" timestamp (3) with time zone,
	"prove_at" timestamp (3) with time zone,
	"links_shared_since" timestamp (3) with time zone,
	"ended_because" text
);
--> statement-breakpoint
CREATE TABLE "channel_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_config_id" uuid NOT NULL,
	"event_id" text NOT NULL,
	"session_key" text NOT NULL,
	"sender_id" text NOT NULL,
	"event" jsonb,
	"task_id" uuid,
	"handled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
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
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text DEFAULT 'message' NOT NULL,
	"platform_chat_type" text,
	"platform_thread_id" text,
	"occasion" text,
	"reply_to" text,
	"reply_target" text,
	"buttons" jsonb,
	"pieces_sent" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"may_be_sent" boolean DEFAULT false NOT NULL,
	"sending_since" timestamp (3) with time zone,
	"user_id" uuid,
	"identity_id" uuid
);
--> statement-breakpoint
CREATE TABLE "channel_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"channel_config_id" uuid NOT NULL,
	"session_key" text NOT NULL,
	"user_id" uuid NOT NULL,
	"platform_chat_id" text NOT NULL,
	"platform_chat_type" text NOT NULL,
	"platform_thread_id" text,
	"sender_id" text NOT NULL,
	"sender_name" text NOT NULL,
	"chat_id" uuid,
	"last_active_at" timestamp (3) with time zone NOT NULL,
	"idle_timeout_minutes" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"identity_id" uuid
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
	"channel_config_id" uuid NOT NULL,
	"paired_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"home_channel_config_id" uuid,
	"home_chat_id" text,
	"home_thread_id" text
);
--> statement-breakpoint
CREATE TABLE "agent_models" (
	"user_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"model" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_models_user_id_agent_id_pk" PRIMARY KEY("user_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"system_prompt" text DEFAULT '' NOT NULL,
	"model" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"team_id" uuid,
	"tools" text[],
	"created_by" uuid,
	"updated_at" timestamp (3) with time zone,
	"long_description" text,
	"category" text DEFAULT 'custom' NOT NULL,
	"mode" text DEFAULT 'stream' NOT NULL,
	"agent_type" text DEFAULT 'StreamAgent' NOT NULL,
	"icon" text,
	"avatar_url" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"features" text[] DEFAULT '{}' NOT NULL,
	"config" jsonb,
	"tool_configs" jsonb,
	"parent_agent_id" uuid,
	"source_type" text DEFAULT 'open' NOT NULL,
	"is_forkable" boolean DEFAULT true NOT NULL,
	"pricing_type" text DEFAULT 'free' NOT NULL,
	"price_cents" integer DEFAULT 0 NOT NULL,
	"is_published" boolean DEFAULT false NOT NULL,
	"published_at" timestamp (3) with time zone,
	"is_featured" boolean DEFAULT false NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"rating_sum" integer DEFAULT 0 NOT NULL,
	"reviews_count" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "chats" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"title" text,
	"origin" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"agent_id" uuid,
	"model" text,
	"edit_mode" text,
	"allowed_tools" text[] DEFAULT '{}' NOT NULL,
	"is_titled" boolean DEFAULT false NOT NULL,
	"summary" text,
	"summarized_through" uuid,
	"summarized_seq" integer,
	"last_seq" integer DEFAULT 0 NOT NULL,
	"unfinished_tasks" uuid[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"chat_id" uuid NOT NULL,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"message_metadata" jsonb,
	"task_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seq" integer DEFAULT 0 NOT NULL
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
CREATE TABLE "deployment_credentials" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"project_id" uuid,
	"auth_type" text NOT NULL,
	"encrypted_token" text NOT NULL,
	"encrypted_refresh_token" text,
	"expires_at" timestamp (3) with time zone,
	"refresh_until" timestamp (3) with time zone,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"encrypted_metadata" text,
	"account" text,
	"is_standin" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	CONSTRAINT "deployment_credentials_unique" UNIQUE NULLS NOT DISTINCT("user_id","provider","project_id")
);
--> statement-breakpoint
CREATE TABLE "deployment_logs" (
	"deployment_id" uuid NOT NULL,
	"line" integer NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployment_logs_deployment_id_line_pk" PRIMARY KEY("deployment_id","line")
);
--> statement-breakpoint
CREATE TABLE "deployment_sites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid,
	"container_id" uuid,
	"made_for" text NOT NULL,
	"user_id" uuid,
	"provider" text NOT NULL,
	"account" text NOT NULL,
	"is_standin" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"is_name_used" boolean DEFAULT false NOT NULL,
	"provider_site_id" text,
	"url" text,
	"live_deployment_id" uuid,
	"last_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"site_id" uuid NOT NULL,
	"project_id" uuid,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"container_id" uuid,
	"version" integer NOT NULL,
	"mode" text NOT NULL,
	"settings" jsonb NOT NULL,
	"encrypted_env" text,
	"redeploy_of" uuid,
	"status" text DEFAULT 'pending' NOT NULL,
	"provider_status" text,
	"provider_deployment_id" text,
	"provider_notes" text,
	"url" text,
	"error" text,
	"bundle" jsonb,
	"commit_sha" text,
	"idempotency_key" text,
	"request_hash" text,
	"cancelled_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"generation" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"published_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "desktop_devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"name" text NOT NULL,
	"platform" text,
	"fingerprint" text,
	"app_version" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pairing_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_sign_ins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"device_code_hash" text NOT NULL,
	"user_code_hash" text NOT NULL,
	"client_name" text NOT NULL,
	"ip_address" text NOT NULL,
	"network" text NOT NULL,
	"interval_seconds" integer NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"decision" text,
	"decided_at" timestamp (3) with time zone,
	"decided_by_session_id" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
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
CREATE TABLE "library_agents" (
	"team_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"user_id" uuid,
	"purchase_type" text NOT NULL,
	"checkout_id" uuid,
	"subscription_id" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "library_agents_team_id_agent_id_pk" PRIMARY KEY("team_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "library_bases" (
	"team_id" uuid NOT NULL,
	"base_id" uuid NOT NULL,
	"user_id" uuid,
	"purchase_type" text NOT NULL,
	"checkout_id" uuid,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "library_bases_team_id_base_id_pk" PRIMARY KEY("team_id","base_id")
);
--> statement-breakpoint
CREATE TABLE "project_agents" (
	"project_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_agents_project_id_agent_id_pk" PRIMARY KEY("project_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid,
	"base_id" uuid,
	"user_id" uuid NOT NULL,
	"rating" integer NOT NULL,
	"comment" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	CONSTRAINT "reviews_of_one_item" CHECK (num_nonnulls("reviews"."agent_id", "reviews"."base_id") = 1),
	CONSTRAINT "reviews_rating" CHECK ("reviews"."rating" BETWEEN 1 AND 5)
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
CREATE TABLE "checkouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid,
	"user_id" uuid,
	"type" text NOT NULL,
	"item" text NOT NULL,
	"customer_id" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"currency" text NOT NULL,
	"price_id" text,
	"credits" integer DEFAULT 0 NOT NULL,
	"return_origin" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"error" text,
	"session_id" text,
	"session_url" text,
	"payment_intent_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"terms" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "disputes" (
	"id" text PRIMARY KEY NOT NULL,
	"transaction_id" uuid NOT NULL,
	"amount_cents" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payout_reversals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payout_id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"amount_cents" integer NOT NULL,
	"reversal_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"transaction_id" uuid NOT NULL,
	"creator_id" uuid,
	"amount_cents" integer NOT NULL,
	"currency" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"transfer_id" text,
	"reversed_cents" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "payouts_transaction_unique" UNIQUE("transaction_id")
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"object_id" text,
	"status" text DEFAULT 'received' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subscription_id" text NOT NULL,
	"team_id" uuid,
	"user_id" uuid,
	"checkout_id" uuid,
	"tier" text,
	"agent_id" uuid,
	"price_id" text NOT NULL,
	"amount_cents" integer,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"cancel_at" timestamp (3) with time zone,
	"past_due_since" timestamp (3) with time zone,
	"credited_period_start" timestamp (3) with time zone,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"credited_tier" text,
	"latest_invoice_id" text,
	CONSTRAINT "subscriptions_subscription_unique" UNIQUE("subscription_id")
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid,
	"user_id" uuid,
	"type" text NOT NULL,
	"agent_id" uuid,
	"base_id" uuid,
	"checkout_id" uuid,
	"subscription_id" text,
	"creator_id" uuid,
	"amount_cents" integer NOT NULL,
	"creator_cents" integer DEFAULT 0 NOT NULL,
	"platform_cents" integer DEFAULT 0 NOT NULL,
	"currency" text NOT NULL,
	"credits" integer DEFAULT 0 NOT NULL,
	"payment_intent_id" text,
	"invoice_id" text,
	"charge_id" text,
	"reverses_id" uuid,
	"reversed_cents" integer DEFAULT 0 NOT NULL,
	"reversed_credits" integer DEFAULT 0 NOT NULL,
	"observed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_memberships" (
	"project_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_memberships_project_id_user_id_pk" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"source_type" text NOT NULL,
	"status" text NOT NULL,
	"visibility" text DEFAULT 'team' NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"last_activity" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"source" jsonb,
	"set_up_at" timestamp (3) with time zone,
	"wanted" text,
	"generation" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"progress" text,
	"error" text,
	"started_at" timestamp (3) with time zone,
	"hibernated_at" timestamp (3) with time zone,
	"idle_warned_at" timestamp (3) with time zone,
	"deployed_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"lost_at" timestamp (3) with time zone,
	"save_asked_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
CREATE TABLE "login_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"code_hash" text NOT NULL,
	"code_expires_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailed_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"token_hash" text NOT NULL,
	"email" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refresh_records" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"user_agent" text NOT NULL,
	"ip_address" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"client_name" text
);
--> statement-breakpoint
CREATE TABLE "used_oauth_states" (
	"id" uuid PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
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
	"closed_at" timestamp (3) with time zone,
	"chat_id" uuid
);
--> statement-breakpoint
CREATE TABLE "bases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"visibility" text DEFAULT 'private' NOT NULL,
	"created_by" uuid,
	"file_count" integer NOT NULL,
	"total_bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"source" text DEFAULT 'archive' NOT NULL,
	"git_repo_url" text,
	"default_branch" text,
	"long_description" text,
	"category" text DEFAULT 'fullstack' NOT NULL,
	"icon" text,
	"preview_image" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"features" text[] DEFAULT '{}' NOT NULL,
	"tech_stack" text[] DEFAULT '{}' NOT NULL,
	"pricing_type" text DEFAULT 'free' NOT NULL,
	"price_cents" integer DEFAULT 0 NOT NULL,
	"is_featured" boolean DEFAULT false NOT NULL,
	"downloads" integer DEFAULT 0 NOT NULL,
	"rating_sum" integer DEFAULT 0 NOT NULL,
	"reviews_count" integer DEFAULT 0 NOT NULL,
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
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "callback_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"delivered" boolean NOT NULL,
	"status_code" integer,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "task_steps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"task_id" uuid NOT NULL,
	"step_index" integer NOT NULL,
	"step_data" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"api_key_id" uuid,
	"scopes" text[],
	"origin" text NOT NULL,
	"message" text NOT NULL,
	"status" text NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"response" text,
	"iterations" integer DEFAULT 0 NOT NULL,
	"tool_calls" integer DEFAULT 0 NOT NULL,
	"completion_reason" text,
	"error" text,
	"webhook_url" text,
	"callback_status" text DEFAULT 'none' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"model" text,
	"edit_mode" text DEFAULT 'allow' NOT NULL,
	"max_iterations" integer,
	"compaction" jsonb,
	"seq" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_logs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"project_id" uuid,
	"task_id" uuid,
	"iteration" integer NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"input_tokens" integer NOT NULL,
	"output_tokens" integer NOT NULL,
	"cached_input_tokens" integer NOT NULL,
	"cache_write_tokens" integer NOT NULL,
	"is_byok" boolean DEFAULT false NOT NULL,
	"billed_status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"team_id" uuid,
	"agent_id" uuid,
	"purpose" text DEFAULT 'agent' NOT NULL,
	"cost_input" integer DEFAULT 0 NOT NULL,
	"cost_output" integer DEFAULT 0 NOT NULL,
	"cost_total" integer DEFAULT 0 NOT NULL,
	"credits_deducted" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credit_reservations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"task_id" uuid,
	"credits" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "team_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"token_hash" text NOT NULL,
	"max_uses" integer,
	"uses" integer DEFAULT 0 NOT NULL,
	"invited_by" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "team_memberships" (
	"team_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "team_memberships_team_id_user_id_pk" PRIMARY KEY("team_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"is_personal" boolean DEFAULT false NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"avatar_url" text,
	"subscription_tier" text DEFAULT 'free' NOT NULL,
	"daily_credits" integer DEFAULT 0 NOT NULL,
	"bundled_credits" integer DEFAULT 0 NOT NULL,
	"signup_bonus_credits" integer DEFAULT 0 NOT NULL,
	"purchased_credits" integer DEFAULT 0 NOT NULL,
	"daily_credits_reset_at" timestamp (3) with time zone,
	"credits_reset_at" timestamp (3) with time zone,
	"signup_bonus_expires_at" timestamp (3) with time zone,
	"disabled_models" text[] DEFAULT '{}' NOT NULL,
	"signup_bonus_granted_at" timestamp (3) with time zone,
	"reserved_credits" integer DEFAULT 0 NOT NULL,
	"stripe_customer_id" text,
	"deploy_slots" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "teams_stripe_customer_unique" UNIQUE("stripe_customer_id")
);
--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD CONSTRAINT "external_api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD CONSTRAINT "external_api_keys_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_api_keys" ADD CONSTRAINT "external_api_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_api_key_id_external_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."external_api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_keys" ADD CONSTRAINT "message_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "admin_actions" ADD CONSTRAINT "admin_actions_admin_id_users_id_fk" FOREIGN KEY ("admin_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "background_tasks" ADD CONSTRAINT "background_tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_configs" ADD CONSTRAINT "channel_configs_default_agent_id_agents_id_fk" FOREIGN KEY ("default_agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_events" ADD CONSTRAINT "channel_events_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD CONSTRAINT "channel_messages_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_messages" ADD CONSTRAINT "channel_messages_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_identity_id_platform_identities_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."platform_identities"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_sessions" ADD CONSTRAINT "channel_sessions_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_identities" ADD CONSTRAINT "platform_identities_home_channel_config_id_channel_configs_id_fk" FOREIGN KEY ("home_channel_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_models" ADD CONSTRAINT "agent_models_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_models" ADD CONSTRAINT "agent_models_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_attachments" ADD CONSTRAINT "chat_attachments_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_previews" ADD CONSTRAINT "browser_previews_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_previews" ADD CONSTRAINT "browser_previews_connected_container_id_containers_id_fk" FOREIGN KEY ("connected_container_id") REFERENCES "public"."containers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_source_container_id_containers_id_fk" FOREIGN KEY ("source_container_id") REFERENCES "public"."containers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "container_connections" ADD CONSTRAINT "container_connections_target_container_id_containers_id_fk" FOREIGN KEY ("target_container_id") REFERENCES "public"."containers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "containers" ADD CONSTRAINT "containers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_credentials" ADD CONSTRAINT "deployment_credentials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_credentials" ADD CONSTRAINT "deployment_credentials_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_logs" ADD CONSTRAINT "deployment_logs_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_sites" ADD CONSTRAINT "deployment_sites_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_sites" ADD CONSTRAINT "deployment_sites_container_id_containers_id_fk" FOREIGN KEY ("container_id") REFERENCES "public"."containers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_sites" ADD CONSTRAINT "deployment_sites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_site_id_deployment_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."deployment_sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_container_id_containers_id_fk" FOREIGN KEY ("container_id") REFERENCES "public"."containers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desktop_devices" ADD CONSTRAINT "desktop_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "desktop_devices" ADD CONSTRAINT "desktop_devices_api_key_id_external_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."external_api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pairing_tokens" ADD CONSTRAINT "pairing_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_sign_ins" ADD CONSTRAINT "device_sign_ins_decided_by_session_id_sessions_id_fk" FOREIGN KEY ("decided_by_session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_connections" ADD CONSTRAINT "git_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repositories" ADD CONSTRAINT "repositories_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_agents" ADD CONSTRAINT "library_agents_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_agents" ADD CONSTRAINT "library_agents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_agents" ADD CONSTRAINT "library_agents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_agents" ADD CONSTRAINT "library_agents_checkout_id_checkouts_id_fk" FOREIGN KEY ("checkout_id") REFERENCES "public"."checkouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_bases" ADD CONSTRAINT "library_bases_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_bases" ADD CONSTRAINT "library_bases_base_id_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."bases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_bases" ADD CONSTRAINT "library_bases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "library_bases" ADD CONSTRAINT "library_bases_checkout_id_checkouts_id_fk" FOREIGN KEY ("checkout_id") REFERENCES "public"."checkouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_agents" ADD CONSTRAINT "project_agents_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_agents" ADD CONSTRAINT "project_agents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_base_id_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."bases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_models" ADD CONSTRAINT "user_models_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_providers" ADD CONSTRAINT "user_providers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payout_reversals" ADD CONSTRAINT "payout_reversals_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payout_reversals" ADD CONSTRAINT "payout_reversals_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_checkout_id_checkouts_id_fk" FOREIGN KEY ("checkout_id") REFERENCES "public"."checkouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_base_id_bases_id_fk" FOREIGN KEY ("base_id") REFERENCES "public"."bases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_checkout_id_checkouts_id_fk" FOREIGN KEY ("checkout_id") REFERENCES "public"."checkouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_memberships" ADD CONSTRAINT "project_memberships_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_memberships" ADD CONSTRAINT "project_memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedule_runs" ADD CONSTRAINT "schedule_runs_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_api_key_id_external_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."external_api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_origin_config_id_channel_configs_id_fk" FOREIGN KEY ("origin_config_id") REFERENCES "public"."channel_configs"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_attempts" ADD CONSTRAINT "login_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailed_tokens" ADD CONSTRAINT "mailed_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_accounts" ADD CONSTRAINT "oauth_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_records" ADD CONSTRAINT "refresh_records_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_runs" ADD CONSTRAINT "command_runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "command_runs" ADD CONSTRAINT "command_runs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shell_sessions" ADD CONSTRAINT "shell_sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shell_sessions" ADD CONSTRAINT "shell_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bases" ADD CONSTRAINT "bases_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_answered_by_users_id_fk" FOREIGN KEY ("answered_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "callback_attempts" ADD CONSTRAINT "callback_attempts_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_steps" ADD CONSTRAINT "task_steps_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_chat_id_chats_id_fk" FOREIGN KEY ("chat_id") REFERENCES "public"."chats"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_api_key_id_external_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."external_api_keys"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_task_id_tasks_id_fk" FOREIGN KEY ("task_id") REFERENCES "public"."tasks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_reservations" ADD CONSTRAINT "credit_reservations_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_invitations" ADD CONSTRAINT "team_invitations_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_invitations" ADD CONSTRAINT "team_invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_memberships" ADD CONSTRAINT "team_memberships_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_memberships" ADD CONSTRAINT "team_memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_unique" ON "users" USING btree (lower("email")) WHERE "users"."email_asked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_unique" ON "users" USING btree (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_slug_unique" ON "users" USING btree ("slug");--> statement-breakpoint
CREATE UNIQUE INDEX "external_api_keys_key_hash_unique" ON "external_api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "external_api_keys_user" ON "external_api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "external_api_keys_team" ON "external_api_keys" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "external_api_keys_agent" ON "external_api_keys" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "message_keys_created" ON "message_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "admin_actions_created" ON "admin_actions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "admin_actions_admin" ON "admin_actions" USING btree ("admin_id");--> statement-breakpoint
CREATE INDEX "admin_actions_target" ON "admin_actions" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "audit_log_team" ON "audit_log" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_created" ON "audit_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_log_project" ON "audit_log" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "background_tasks_user" ON "background_tasks" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "background_tasks_project" ON "background_tasks" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "background_tasks_container" ON "background_tasks" USING btree ("container_id");--> statement-breakpoint
CREATE INDEX "background_tasks_completed" ON "background_tasks" USING btree ("completed_at");--> statement-breakpoint
CREATE INDEX "channel_configs_user" ON "channel_configs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "channel_configs_project" ON "channel_configs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "channel_configs_agent" ON "channel_configs" USING btree ("default_agent_id");--> statement-breakpoint
CREATE INDEX "channel_configs_to_prove" ON "channel_configs" USING btree ("prove_at") WHERE "channel_configs"."prove_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "channel_configs_shard" ON "channel_configs" USING btree ("gateway_shard") WHERE "channel_configs"."is_active";--> statement-breakpoint
CREATE UNIQUE INDEX "channel_events_platform_unique" ON "channel_events" USING btree ("channel_config_id","event_id");--> statement-breakpoint
CREATE INDEX "channel_events_open" ON "channel_events" USING btree ("channel_config_id","session_key","sender_id","id") WHERE "channel_events"."handled_at" IS NULL;--> statement-breakpoint
CREATE INDEX "channel_events_created" ON "channel_events" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_platform_unique" ON "channel_messages" USING btree ("channel_config_id","direction","platform_message_id") WHERE "channel_messages"."direction" = 'inbound';--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_occasion_unique" ON "channel_messages" USING btree ("occasion");--> statement-breakpoint
CREATE INDEX "channel_messages_page" ON "channel_messages" USING btree ("channel_config_id","created_at","id");--> statement-breakpoint
CREATE INDEX "channel_messages_task" ON "channel_messages" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "channel_messages_pending" ON "channel_messages" USING btree ("channel_config_id","jid","id") WHERE "channel_messages"."status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "channel_sessions_place_unique" ON "channel_sessions" USING btree ("channel_config_id","session_key","user_id");--> statement-breakpoint
CREATE INDEX "channel_sessions_chat" ON "channel_sessions" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "channel_sessions_user" ON "channel_sessions" USING btree ("user_id","last_active_at");--> statement-breakpoint
CREATE INDEX "channel_sessions_identity" ON "channel_sessions" USING btree ("identity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "platform_identities_link_unique" ON "platform_identities" USING btree ("channel_config_id","platform_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "platform_identities_code_unique" ON "platform_identities" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "platform_identities_user" ON "platform_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "platform_identities_sender" ON "platform_identities" USING btree ("platform","platform_user_id");--> statement-breakpoint
CREATE INDEX "platform_identities_home" ON "platform_identities" USING btree ("home_channel_config_id");--> statement-breakpoint
CREATE INDEX "agent_models_agent" ON "agent_models" USING btree ("agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_slug_unique" ON "agents" USING btree (coalesce("team_id", '00000000-0000-0000-0000-000000000000'::uuid),"slug") WHERE "agents"."is_active";--> statement-breakpoint
CREATE UNIQUE INDEX "agents_listed_slug_unique" ON "agents" USING btree ("slug") WHERE "agents"."is_active" AND ("agents"."is_published" OR "agents"."team_id" IS NULL);--> statement-breakpoint
CREATE INDEX "agents_team" ON "agents" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "agents_created_by" ON "agents" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "agents_parent" ON "agents" USING btree ("parent_agent_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_chat" ON "chat_attachments" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_user" ON "chat_attachments" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_message" ON "chat_attachments" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "chat_attachments_unbound" ON "chat_attachments" USING btree ("created_at") WHERE "chat_attachments"."message_id" IS NULL;--> statement-breakpoint
CREATE INDEX "chats_project" ON "chats" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "chats_user_project" ON "chats" USING btree ("user_id","project_id");--> statement-breakpoint
CREATE INDEX "chats_agent" ON "chats" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "chats_unfinished" ON "chats" USING btree ("id") WHERE "chats"."unfinished_tasks" <> '{}';--> statement-breakpoint
CREATE INDEX "messages_chat_seq" ON "messages" USING btree ("chat_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_task_role_unique" ON "messages" USING btree ("task_id","role");--> statement-breakpoint
CREATE INDEX "browser_previews_project" ON "browser_previews" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "browser_previews_container" ON "browser_previews" USING btree ("connected_container_id");--> statement-breakpoint
CREATE UNIQUE INDEX "container_connections_pair" ON "container_connections" USING btree ("source_container_id","target_container_id");--> statement-breakpoint
CREATE INDEX "container_connections_target" ON "container_connections" USING btree ("target_container_id");--> statement-breakpoint
CREATE INDEX "container_connections_project" ON "container_connections" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "containers_label_unique" ON "containers" USING btree ("project_id","label");--> statement-breakpoint
CREATE INDEX "containers_at_work" ON "containers" USING btree ("status","project_id") WHERE "containers"."status" IN ('starting', 'running');--> statement-breakpoint
CREATE INDEX "deployment_credentials_project" ON "deployment_credentials" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_sites_unique" ON "deployment_sites" USING btree ("made_for","provider","account","is_standin");--> statement-breakpoint
CREATE INDEX "deployment_sites_project" ON "deployment_sites" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "deployment_sites_container" ON "deployment_sites" USING btree ("container_id");--> statement-breakpoint
CREATE INDEX "deployment_sites_user" ON "deployment_sites" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_version_unique" ON "deployments" USING btree ("site_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_idempotency_unique" ON "deployments" USING btree ("user_id","idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_building_unique" ON "deployments" USING btree ("project_id") WHERE "deployments"."status" = 'building';--> statement-breakpoint
CREATE INDEX "deployments_project" ON "deployments" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "deployments_user" ON "deployments" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "deployments_container" ON "deployments" USING btree ("container_id");--> statement-breakpoint
CREATE INDEX "deployments_bundle" ON "deployments" USING btree (("bundle" ->> 'prefix')) WHERE "deployments"."bundle" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "deployments_unfinished" ON "deployments" USING btree ("site_id","version") WHERE "deployments"."status" NOT IN ('success', 'failed', 'cancelled');--> statement-breakpoint
CREATE UNIQUE INDEX "desktop_devices_api_key_unique" ON "desktop_devices" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "desktop_devices_user" ON "desktop_devices" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pairing_tokens_token_hash_unique" ON "pairing_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "pairing_tokens_user" ON "pairing_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "pairing_tokens_expires" ON "pairing_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "device_sign_ins_device_code_hash_unique" ON "device_sign_ins" USING btree ("device_code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "device_sign_ins_user_code_hash_unique" ON "device_sign_ins" USING btree ("user_code_hash");--> statement-breakpoint
CREATE INDEX "device_sign_ins_network" ON "device_sign_ins" USING btree ("network","expires_at");--> statement-breakpoint
CREATE INDEX "device_sign_ins_decided_by_session" ON "device_sign_ins" USING btree ("decided_by_session_id");--> statement-breakpoint
CREATE INDEX "device_sign_ins_expires" ON "device_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "git_connections_provider_unique" ON "git_connections" USING btree ("user_id","provider");--> statement-breakpoint
CREATE INDEX "repositories_user" ON "repositories" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "repositories_cloning" ON "repositories" USING btree ("lease_until") WHERE "repositories"."sync_status" = 'cloning';--> statement-breakpoint
CREATE INDEX "library_agents_agent" ON "library_agents" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "library_agents_user" ON "library_agents" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "library_agents_checkout" ON "library_agents" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "library_agents_subscription" ON "library_agents" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "library_bases_base" ON "library_bases" USING btree ("base_id");--> statement-breakpoint
CREATE INDEX "library_bases_user" ON "library_bases" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "library_bases_checkout" ON "library_bases" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "project_agents_agent" ON "project_agents" USING btree ("agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_agent_unique" ON "reviews" USING btree ("agent_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_base_unique" ON "reviews" USING btree ("base_id","user_id");--> statement-breakpoint
CREATE INDEX "reviews_user" ON "reviews" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_api_keys_name_unique" ON "user_api_keys" USING btree ("user_id","provider","key_name") WHERE "user_api_keys"."is_active";--> statement-breakpoint
CREATE INDEX "user_api_keys_user" ON "user_api_keys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "user_models_model_unique" ON "user_models" USING btree ("user_id","model_id","provider") WHERE "user_models"."is_active";--> statement-breakpoint
CREATE INDEX "user_models_user" ON "user_models" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "user_providers_slug_unique" ON "user_providers" USING btree ("user_id","slug") WHERE "user_providers"."is_active";--> statement-breakpoint
CREATE INDEX "user_providers_user" ON "user_providers" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_session_unique" ON "checkouts" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_intent_unique" ON "checkouts" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "checkouts_team" ON "checkouts" USING btree ("team_id","created_at");--> statement-breakpoint
CREATE INDEX "checkouts_user" ON "checkouts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "checkouts_unsettled" ON "checkouts" USING btree ("created_at") WHERE "checkouts"."status" IN ('open', 'pending');--> statement-breakpoint
CREATE INDEX "disputes_transaction" ON "disputes" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "payout_reversals_payout" ON "payout_reversals" USING btree ("payout_id");--> statement-breakpoint
CREATE INDEX "payout_reversals_transaction" ON "payout_reversals" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "payout_reversals_due" ON "payout_reversals" USING btree ("created_at") WHERE "payout_reversals"."reversal_id" IS NULL;--> statement-breakpoint
CREATE INDEX "payouts_creator" ON "payouts" USING btree ("creator_id");--> statement-breakpoint
CREATE INDEX "payouts_pending" ON "payouts" USING btree ("created_at") WHERE "payouts"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "stripe_events_status" ON "stripe_events" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "stripe_events_created" ON "stripe_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "subscriptions_team" ON "subscriptions" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "subscriptions_user" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_agent" ON "subscriptions" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "subscriptions_checkout" ON "subscriptions" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "subscriptions_current" ON "subscriptions" USING btree ("period_end") WHERE "subscriptions"."status" NOT IN ('canceled', 'incomplete_expired');--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_payment_intent_unique" ON "transactions" USING btree ("payment_intent_id") WHERE "transactions"."reverses_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_invoice_unique" ON "transactions" USING btree ("invoice_id") WHERE "transactions"."reverses_id" IS NULL;--> statement-breakpoint
CREATE INDEX "transactions_team" ON "transactions" USING btree ("team_id","created_at","id");--> statement-breakpoint
CREATE INDEX "transactions_creator" ON "transactions" USING btree ("creator_id","created_at");--> statement-breakpoint
CREATE INDEX "transactions_sold" ON "transactions" USING btree ("created_at") WHERE "transactions"."reverses_id" IS NULL AND "transactions"."payment_intent_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "transactions_user" ON "transactions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "transactions_checkout" ON "transactions" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "transactions_agent" ON "transactions" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "transactions_base" ON "transactions" USING btree ("base_id");--> statement-breakpoint
CREATE INDEX "transactions_reverses" ON "transactions" USING btree ("reverses_id");--> statement-breakpoint
CREATE INDEX "project_memberships_user" ON "project_memberships" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_slug_unique" ON "projects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "projects_team_newest" ON "projects" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "projects_owner" ON "projects" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "projects_default_workspace" ON "projects" USING btree ("owner_id") WHERE "projects"."settings" ->> 'default_workspace' = 'true';--> statement-breakpoint
CREATE INDEX "projects_always_on" ON "projects" USING btree ("team_id") WHERE "projects"."deployed_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "projects_wanted" ON "projects" USING btree ("wanted") WHERE "projects"."wanted" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "projects_last_used" ON "projects" USING btree (greatest("last_activity", "started_at")) WHERE "projects"."status" = 'running' AND "projects"."wanted" IS NULL;--> statement-breakpoint
CREATE INDEX "projects_left_up" ON "projects" USING btree (greatest("last_activity", "set_up_at", "created_at")) WHERE "projects"."status" IN ('stopped', 'failed') AND "projects"."wanted" IS NULL AND "projects"."hibernated_at" IS NULL AND "projects"."lost_at" IS NULL;--> statement-breakpoint
CREATE INDEX "projects_unsaved" ON "projects" USING btree ("save_asked_at" NULLS FIRST) WHERE "projects"."status" IN ('running', 'stopped') AND "projects"."wanted" IS NULL AND "projects"."lost_at" IS NULL AND ("projects"."save_asked_at" IS NULL OR "projects"."save_asked_at" < greatest("projects"."last_activity", "projects"."started_at", "projects"."set_up_at"));--> statement-breakpoint
CREATE INDEX "projects_idle_warned" ON "projects" USING btree ("idle_warned_at") WHERE "projects"."idle_warned_at" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_moment_unique" ON "schedule_runs" USING btree ("schedule_id","scheduled_for");--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_task_unique" ON "schedule_runs" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "schedule_runs_page" ON "schedule_runs" USING btree ("schedule_id","id");--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("published_at") WHERE "schedule_runs"."status" IN ('enqueued', 'waiting', 'running');--> statement-breakpoint
CREATE INDEX "schedules_user" ON "schedules" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_run_at") WHERE "schedules"."is_active";--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "schedules_agent" ON "schedules" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "schedules_key" ON "schedules" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "schedules_origin" ON "schedules" USING btree ("origin_config_id");--> statement-breakpoint
CREATE UNIQUE INDEX "login_attempts_token_hash_unique" ON "login_attempts" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "login_attempts_user" ON "login_attempts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "login_attempts_expires" ON "login_attempts" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mailed_tokens_token_hash_unique" ON "mailed_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "mailed_tokens_user" ON "mailed_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mailed_tokens_expires" ON "mailed_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_accounts_provider_account_unique" ON "oauth_accounts" USING btree ("provider","account_id");--> statement-breakpoint
CREATE INDEX "oauth_accounts_user" ON "oauth_accounts" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "refresh_records_token_hash_unique" ON "refresh_records" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "refresh_records_session" ON "refresh_records" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "refresh_records_expires" ON "refresh_records" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id","last_used_at");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "used_oauth_states_expires" ON "used_oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "command_runs_project" ON "command_runs" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "command_runs_user" ON "command_runs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "command_runs_created" ON "command_runs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "shell_sessions_project" ON "shell_sessions" USING btree ("project_id","status");--> statement-breakpoint
CREATE INDEX "shell_sessions_user" ON "shell_sessions" USING btree ("user_id","status");--> statement-breakpoint
CREATE INDEX "shell_sessions_chat" ON "shell_sessions" USING btree ("chat_id","status") WHERE "shell_sessions"."chat_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "shell_sessions_open" ON "shell_sessions" USING btree ("last_activity_at") WHERE "shell_sessions"."status" IN ('initializing', 'active', 'idle');--> statement-breakpoint
CREATE INDEX "bases_by_creator" ON "bases" USING btree ("created_by");--> statement-breakpoint
CREATE UNIQUE INDEX "snapshots_hash_unique" ON "snapshots" USING btree ("project_id","hash");--> statement-breakpoint
CREATE INDEX "snapshots_by_task" ON "snapshots" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "snapshots_creator" ON "snapshots" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "snapshots_by_role" ON "snapshots" USING btree ("project_id","role","id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_task_call_unique" ON "approvals" USING btree ("task_id","iteration","call_id");--> statement-breakpoint
CREATE INDEX "approvals_answered_by" ON "approvals" USING btree ("answered_by");--> statement-breakpoint
CREATE INDEX "approvals_answered" ON "approvals" USING btree ("answered_at") WHERE "approvals"."response" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "approvals_open" ON "approvals" USING btree ("expires_at") WHERE "approvals"."response" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "callback_attempts_task_attempt_unique" ON "callback_attempts" USING btree ("task_id","attempt");--> statement-breakpoint
CREATE UNIQUE INDEX "task_steps_task_index_unique" ON "task_steps" USING btree ("task_id","step_index");--> statement-breakpoint
CREATE INDEX "tasks_user_created" ON "tasks" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "tasks_listed" ON "tasks" USING btree ("user_id","project_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_project_begun" ON "tasks" USING btree ("project_id","user_id","started_at");--> statement-breakpoint
CREATE INDEX "tasks_agent" ON "tasks" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "tasks_chat_seq" ON "tasks" USING btree ("chat_id","seq");--> statement-breakpoint
CREATE INDEX "tasks_status_created" ON "tasks" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "tasks_api_key_status" ON "tasks" USING btree ("api_key_id","status");--> statement-breakpoint
CREATE INDEX "tasks_unfinished_user" ON "tasks" USING btree ("user_id") WHERE "tasks"."status" IN ('queued', 'running');--> statement-breakpoint
CREATE INDEX "tasks_unfinished_project" ON "tasks" USING btree ("project_id") WHERE "tasks"."status" IN ('queued', 'running');--> statement-breakpoint
CREATE INDEX "tasks_callback_pending" ON "tasks" USING btree ("completed_at") WHERE "tasks"."callback_status" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "usage_logs_call_unique" ON "usage_logs" USING btree ("task_id","iteration","purpose");--> statement-breakpoint
CREATE INDEX "usage_logs_user_created" ON "usage_logs" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "usage_logs_team_created" ON "usage_logs" USING btree ("team_id","created_at");--> statement-breakpoint
CREATE INDEX "usage_logs_project" ON "usage_logs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "usage_logs_agent" ON "usage_logs" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "credit_reservations_team" ON "credit_reservations" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "credit_reservations_task" ON "credit_reservations" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "credit_reservations_expires" ON "credit_reservations" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "team_invitations_token_hash_unique" ON "team_invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "team_invitations_team" ON "team_invitations" USING btree ("team_id","created_at");--> statement-breakpoint
CREATE INDEX "team_invitations_invited_by" ON "team_invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "team_memberships_user" ON "team_memberships" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_slug_unique" ON "teams" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "teams_created_by" ON "teams" USING btree ("created_by");--> statement-breakpoint
-- By hand from here: the rows that the service brings. The agent of a task that names no other.
INSERT INTO "agents" ("id", "slug", "name", "description")
VALUES ('00000000-0000-0000-0000-000000000005', 'system-default', 'Workspace agent', 'Works on the files of a project and runs its commands.');--> statement-breakpoint
-- Agents and templates of the service's own in the marketplace.
INSERT INTO "agents" ("id", "slug", "name", "description", "system_prompt", "category", "mode", "agent_type", "tags", "features", "is_published", "published_at", "is_featured")
VALUES
  ('01900000-0000-7000-8000-0000000000a1', 'workspace-agent', 'Workspace Agent',
   'Builds features from end to end: reads the project, writes the code, runs it and its tests.',
   $$You build features from end to end. First find out how the project is run, tested and formatted, and keep to it. Work in small steps that each leave the project running: the smallest change that shows something, then the rest. Write a test for what you add where the project has tests, and run all that your change could break. When you are done, say how the user can see the feature work.$$,
   'fullstack', 'agent', 'WorkspaceAgent', ARRAY['coding', 'features', 'tests'], ARRAY['Plans, writes, runs and verifies', 'Keeps to the style of the project'], true, now(), true),
  ('01900000-0000-7000-8000-0000000000a2', 'librarian', 'Librarian',
   'Writes and repairs documentation: README, guides, comments and change logs that say what the code does.',
   $$You look after the project's documentation. Read the code before you write about it, and describe what it does, not what it should do. Try every command and every example that you write down, where they can be run here. Prefer to correct a page that exists over adding another one. Write short sentences in plain words; name files and functions exactly. Change code only where a comment in it is wrong, and report contradictions between code and documentation that only the user can settle.$$,
   'documentation', 'agent', 'WorkspaceAgent', ARRAY['documentation', 'readme', 'comments'], ARRAY['Checks commands and examples by running them', 'Finds what documentation gets wrong'], true, now(), true),
  ('01900000-0000-7000-8000-0000000000a3', 'service-integrator', 'Service Integrator',
   'Connects the project with outside services: payments, mail, storage, databases and other APIs.',
   $$You connect the project with outside services. Read the provider's current documentation before you write a call, and name the page you relied on. Keep each provider behind one module with plain functions, so that the rest of the project does not know it. Read credentials from environment variables, list these with a sentence each where the project documents its configuration, and never put a credential into a file. Handle refusals, time limits, repeated and lost messages; verify the signatures of webhooks. Test against a local counterpart or a recorded answer, and say what could not be tried without an account.$$,
   'backend', 'agent', 'WorkspaceAgent', ARRAY['api', 'integration', 'webhooks'], ARRAY['Reads the provider''s documentation first', 'Keeps credentials out of files'], true, now(), true),
  ('01900000-0000-7000-8000-0000000000a4', 'agent-builder', 'Agent Builder',
   'Designs agents for this service: their prompt, tools and tests.',
   $$You design agents for this service. An agent has a name, a description of one sentence, a system prompt that is added to the service's own, and a list of tools, or all of them. Ask what the agent is for, who uses it, and what it must never do. Write the definition to agents/<name>.json with the fields name, description, system_prompt and tools, as POST /api/agents takes them. Keep the prompt short: what the agent does, in which order, what it must check, and what it returns. Give it only the tools that its work needs. Write three example messages beside it, one of them awkward, with what a good answer to each has to contain.$$,
   'agents', 'agent', 'WorkspaceAgent', ARRAY['agents', 'prompts'], ARRAY['Writes definitions that POST /api/agents takes', 'Brings examples to try an agent with'], true, now(), true);--> statement-breakpoint
INSERT INTO "bases" ("id", "slug", "name", "description", "visibility", "source", "file_count", "total_bytes", "category", "tags", "features", "tech_stack", "is_featured")
VALUES
  ('01900000-0000-7000-8000-000000000001', 'static-site', 'Static site', 'A page with a style sheet and a script, served as it is.',
   'public', 'service', 5, 960, 'frontend', ARRAY['html'], ARRAY['Nothing to install', 'Served as it is'], ARRAY['HTML', 'CSS', 'JavaScript'], true),
  ('01900000-0000-7000-8000-000000000002', 'vite-react', 'React with Vite', 'A React app in TypeScript, with Vite to develop and to build it.',
   'public', 'service', 10, 2521, 'frontend', ARRAY['react', 'vite', 'typescript'], ARRAY['Reloads at every change', 'Checks the types before it builds'], ARRAY['React', 'Vite', 'TypeScript'], true);
