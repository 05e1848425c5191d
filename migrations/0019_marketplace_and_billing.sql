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
	"settled_at" timestamp (3) with time zone
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
ALTER TABLE "bases" ALTER COLUMN "created_by" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "stripe_account_id" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "long_description" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "category" text DEFAULT 'custom' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "mode" text DEFAULT 'stream' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "agent_type" text DEFAULT 'StreamAgent' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "icon" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "avatar_url" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "features" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "config" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "tool_configs" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "parent_agent_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "source_type" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "is_forkable" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "pricing_type" text DEFAULT 'free' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "price_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "is_published" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "published_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "is_featured" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "downloads" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "rating_sum" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "reviews_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "source" text DEFAULT 'archive' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "git_repo_url" text;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "default_branch" text;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "long_description" text;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "category" text DEFAULT 'fullstack' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "icon" text;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "preview_image" text;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "features" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "tech_stack" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "pricing_type" text DEFAULT 'free' NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "price_cents" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "is_featured" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "downloads" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "rating_sum" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bases" ADD COLUMN "reviews_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "stripe_customer_id" text;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "deploy_slots" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
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
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
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
CREATE UNIQUE INDEX "checkouts_session_unique" ON "checkouts" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_payment_intent_unique" ON "checkouts" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "checkouts_team" ON "checkouts" USING btree ("team_id","created_at");--> statement-breakpoint
CREATE INDEX "checkouts_user" ON "checkouts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "checkouts_unsettled" ON "checkouts" USING btree ("created_at") WHERE "checkouts"."status" IN ('open', 'pending');--> statement-breakpoint
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
CREATE INDEX "transactions_user" ON "transactions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "transactions_checkout" ON "transactions" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "transactions_agent" ON "transactions" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "transactions_base" ON "transactions" USING btree ("base_id");--> statement-breakpoint
CREATE INDEX "transactions_reverses" ON "transactions" USING btree ("reverses_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_listed_slug_unique" ON "agents" USING btree ("slug") WHERE "agents"."is_active" AND ("agents"."is_published" OR "agents"."team_id" IS NULL);--> statement-breakpoint
CREATE INDEX "agents_parent" ON "agents" USING btree ("parent_agent_id");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_stripe_account_unique" UNIQUE("stripe_account_id");--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_stripe_customer_unique" UNIQUE("stripe_customer_id");