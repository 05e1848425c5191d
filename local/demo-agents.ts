import type { Pool } from "pg";

/** Agents with which buying can be tried: their prompts are closed, and the money goes to the service. */
const DEMO_AGENTS = [
  {
    id: "01900000-0000-7000-8000-0000000000b1",
    slug: "demo-paid",
    name: "Demo, paid once",
    description: "Answers in rhymes. There to try buying an agent.",
    prompt: "Answer in rhymes.",
    pricing: "one_time",
    cents: 500,
  },
  {
    id: "01900000-0000-7000-8000-0000000000b2",
    slug: "demo-monthly",
    name: "Demo, paid monthly",
    description: "Answers as a pirate would. There to try subscribing to an agent.",
    prompt: "Answer as a pirate would.",
    pricing: "monthly",
    cents: 300,
  },
] as const;

/** Puts agents that cost money into the marketplace of a service in development. Idempotent. */
export async function addDemoAgents(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO agents (id, slug, name, description, system_prompt, pricing_type, price_cents, category, tags, source_type,
       is_forkable, is_published, published_at)
     SELECT id, slug, name, description, prompt, pricing, cents, 'demo', ARRAY['demo'], 'closed', false, true, now()
     FROM json_to_recordset($1)
       AS demo(id uuid, slug text, name text, description text, prompt text, pricing text, cents integer)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(DEMO_AGENTS)],
  );
}
