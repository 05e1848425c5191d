import type { api } from "@agent-workspace/client";
import { goThereLater, lastPart } from "./address.ts";
import { element, onPress, show, tell, tryTo } from "./page.ts";
import { whoIsSignedIn, workspace } from "./service.ts";

type Item = Pick<
  api.GetMarketplaceAgentResponses[200],
  "name" | "description" | "price" | "pricing_type" | "is_purchased"
>;

const slug = lastPart();
const isAgent = location.pathname.startsWith("/marketplace/agent/");

const read = (): Promise<Item> =>
  isAgent
    ? workspace.request("GET", "/api/marketplace/agents/{agent}", { path: { agent: slug } })
    : workspace.request("GET", "/api/marketplace/bases/{base}", { path: { base: slug } });

const purchase = () =>
  isAgent
    ? workspace.request("POST", "/api/marketplace/agents/{agent}/purchase", { path: { agent: slug } })
    : workspace.request("POST", "/api/marketplace/bases/{base}/purchase", { path: { base: slug } });

let isSignedIn = false;

async function showItem() {
  const item = await read();
  document.title = `${item.name} · Agent Workspace`;
  element("name").textContent = item.name;
  element("description").textContent = item.description;
  element("price").textContent = item.is_purchased ? "In your library." : priceOf(item);
  element("take").hidden = item.is_purchased;
  element("take").textContent = item.pricing_type === "free" ? "Add to library" : "Buy";
  show("item-step", "wait-step");
}

function priceOf({ pricing_type, price }: Item): string {
  if (pricing_type === "free") return "Free.";
  const dollars = price.toLocaleString("en-US", { style: "currency", currency: "USD" });
  return pricing_type === "monthly" ? `${dollars} a month.` : `${dollars}, once.`;
}

onPress("take", async () => {
  if (!isSignedIn) {
    goThereLater(location.href);
    return location.assign("/login");
  }
  const { checkout_url, message } = await purchase();
  if (checkout_url !== undefined) return location.assign(checkout_url);
  tell(`${message}.`);
  return showItem();
});

await tryTo(async () => {
  isSignedIn = (await whoIsSignedIn()) !== undefined;
  await showItem();
});
