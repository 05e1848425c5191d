-- Finds part of a text by its groups of three letters. PostgreSQL and Neon come with it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
-- Texts as one, in lower case. PostgreSQL's own way to join an array depends on settings for some types, but not for text.
CREATE FUNCTION search_text(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT lower(array_to_string(texts, E'\n')) $$;--> statement-breakpoint
CREATE INDEX "agents_search" ON "agents" USING gin (search_text(ARRAY["name", "description"] || "tags") gin_trgm_ops) WHERE "agents"."is_active" AND "agents"."is_published";--> statement-breakpoint
CREATE INDEX "bases_search" ON "bases" USING gin (search_text(ARRAY["name", "description"]) gin_trgm_ops) WHERE "bases"."visibility" = 'public';