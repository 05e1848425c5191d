CREATE TABLE "mcp_authorizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client" jsonb,
	"encrypted_client_secret" text,
	"flow" jsonb,
	"grantor" jsonb,
	"encrypted_token" text,
	"encrypted_refresh_token" text,
	"expires_at" timestamp (3) with time zone,
	"lifetime_seconds" integer,
	"refreshing_since" timestamp (3) with time zone,
	"generation" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "mcp_servers" ADD COLUMN "needed_scope" text;--> statement-breakpoint
ALTER TABLE "mcp_authorizations" ADD CONSTRAINT "mcp_authorizations_id_mcp_servers_id_fk" FOREIGN KEY ("id") REFERENCES "public"."mcp_servers"("id") ON DELETE cascade ON UPDATE no action;