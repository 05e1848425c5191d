CREATE TABLE "agent_models" (
	"user_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"model" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_models_user_id_agent_id_pk" PRIMARY KEY("user_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "agent_models" ADD CONSTRAINT "agent_models_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_models" ADD CONSTRAINT "agent_models_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_models_agent" ON "agent_models" USING btree ("agent_id");--> statement-breakpoint
UPDATE "usage_logs" SET "model" = 'builtin/' || "model" WHERE NOT "is_byok" AND "model" NOT LIKE 'builtin/%';
