CREATE TABLE "mcp_servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"team_id" uuid,
	"project_id" uuid,
	"scope" text NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"auth" text NOT NULL,
	"encrypted_headers" text,
	"rules" jsonb NOT NULL,
	"tools" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"notes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"state" text NOT NULL,
	"state_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone,
	CONSTRAINT "mcp_servers_one_owner" CHECK (num_nonnulls("mcp_servers"."user_id", "mcp_servers"."team_id", "mcp_servers"."project_id") = 1)
);
--> statement-breakpoint
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mcp_servers" ADD CONSTRAINT "mcp_servers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_servers_user_name_unique" ON "mcp_servers" USING btree ("user_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_servers_team_name_unique" ON "mcp_servers" USING btree ("team_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "mcp_servers_project_name_unique" ON "mcp_servers" USING btree ("project_id","name");