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
ALTER TABLE "projects" ADD COLUMN "deployed_at" timestamp (3) with time zone;--> statement-breakpoint
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
CREATE INDEX "projects_always_on" ON "projects" USING btree ("team_id") WHERE "projects"."deployed_at" IS NOT NULL;