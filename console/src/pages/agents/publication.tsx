import { AskFirst } from "../../parts/ask-first.tsx";
import { Choice, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { agentKeys, useLibrary } from "./reads.ts";

const PRICES = ["free", "one_time", "monthly"] as const;

/** Puts an agent of the team into the marketplace, and takes it off again. */
export function Publication({ agent }: { agent: string }) {
  const { data: library } = useLibrary();
  const known = library?.agents.find(({ id }) => id === agent);
  if (!known) return null;
  const path = { agent };
  return (
    <div class="row">
      <span>{known.is_published ? "Published to the marketplace" : "Not published"}</span>
      {known.is_published ? (
        <AskFirst
          label="Unpublish…"
          title="Unpublish this agent?"
          confirm="Unpublish"
          work={async () => {
            await workspace.request("POST", "/api/marketplace/agents/{agent}/unpublish", { path });
            stale(agentKeys.all);
          }}
        >
          <p>Teams that already have it keep it.</p>
        </AskFirst>
      ) : (
        <AskFirst
          label="Publish…"
          title="Publish to the marketplace"
          confirm="Publish"
          isHarmless
          work={async (form) => {
            const pricing = PRICES.find((each) => each === form.get("pricing")) ?? "free";
            const isOpen = form.get("source") === "open";
            const body = {
              pricing_type: pricing,
              source_type: isOpen ? ("open" as const) : ("closed" as const),
              ...(pricing !== "free" && { price: Number(textOf(form, "price")) }),
            };
            await workspace.request("POST", "/api/marketplace/agents/{agent}/publish", { path, body });
            stale(agentKeys.all);
          }}
        >
          <p>Everyone on this installation can see it.</p>
          <Choice label="Prompt" name="source">
            <option value="open">Open: others can read and fork it</option>
            <option value="closed">Closed: others can only use it</option>
          </Choice>
          <Choice label="Price" name="pricing">
            <option value="free">Free</option>
            <option value="one_time">Once</option>
            <option value="monthly">every month</option>
          </Choice>
          <TextField
            label="US dollars (unless free)"
            name="price"
            type="number"
            min={1}
            max={999}
            step={0.01}
          />
        </AskFirst>
      )}
    </div>
  );
}
