import { Link } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { keys, stale } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { priceOf } from "./price.ts";
import { MARKETPLACE, useItem, type Item, type Kind } from "./reads.ts";
import { Reviews } from "./reviews.tsx";

/** One agent or template: what it is, how a team gets it, and what people say of it. */
export function ItemPage({ kind, slug }: { kind: Kind; slug: string }) {
  return (
    <Loaded title="Marketplace" of={useItem(kind, slug)}>
      {(item) => (
        <>
          <p class="small">
            <Link href={kind === "agent" ? "/marketplace" : "/marketplace/templates"}>Marketplace</Link>
          </p>
          <Heading>{item.name}</Heading>
          <p>{item.description}</p>
          <p class="muted">
            {item.category} · {priceOf(item)}
            {item.creator_name !== null && ` · by ${item.creator_name}`} ·{" "}
            <a href={`/marketplace/${kind}/${encodeURIComponent(item.slug)}`}>public page</a>
          </p>
          {item.long_description !== null && <pre class="wrapped">{item.long_description}</pre>}
          {item.features.length > 0 && (
            <ul>
              {item.features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
          )}
          <Taking kind={kind} item={item} />
          <Reviews kind={kind} item={item} />
        </>
      )}
    </Loaded>
  );
}

/** Free items are taken by editors, others bought by administrators. */
function Taking({ kind, item }: { kind: Kind; item: Item }) {
  const role = useTeamRole();
  const taking = useAction(async () => {
    const answer =
      kind === "agent"
        ? await workspace.request("POST", "/api/marketplace/agents/{agent}/purchase", {
            path: { agent: item.id },
          })
        : await workspace.request("POST", "/api/marketplace/bases/{base}/purchase", {
            path: { base: item.id },
          });
    if ("checkout_url" in answer && typeof answer.checkout_url === "string")
      location.assign(answer.checkout_url);
    stale(MARKETPLACE, keys.models);
  });
  if (item.is_purchased) return <p>In your library.</p>;
  const isFree = item.pricing_type === "free";
  if (role === undefined) return null;
  if (role === "viewer" || (!isFree && role !== "admin")) {
    return <p>{isFree ? "Editors" : "Administrators"} of the team can add it.</p>;
  }
  return (
    <div class="row">
      <button type="button" class="primary" disabled={taking.isBusy} onClick={() => taking.run()}>
        {isFree ? "Add to library" : `Buy for ${priceOf(item)}`}
      </button>
      {taking.error !== undefined && <Refused error={taking.error} />}
    </div>
  );
}
