import {
  call,
  callSignedIn,
  element,
  goThereLater,
  onPress,
  show,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

const [, , kind, slug] = location.pathname.split("/");
const path = `/api/marketplace/${kind}s/${slug}`;

let user;

async function showItem() {
  const item = await call("GET", path);
  document.title = `${item.name} · Agent Workspace`;
  element("name").textContent = item.name;
  element("description").textContent = item.description ?? "";
  element("price").textContent = item.is_purchased ? "In your library." : priceOf(item);
  element("take").hidden = item.is_purchased;
  element("take").textContent = item.pricing_type === "free" ? "Add to library" : "Buy";
  show("item-step", "wait-step");
}

function priceOf({ pricing_type, price }) {
  if (pricing_type === "free") return "Free.";
  const dollars = price.toLocaleString("en-US", { style: "currency", currency: "USD" });
  return pricing_type === "monthly" ? `${dollars} a month.` : `${dollars}, once.`;
}

onPress("take", async () => {
  if (!user) {
    goThereLater(location.href);
    return location.assign("/login");
  }
  const { checkout_url, message } = await callSignedIn("POST", `${path}/purchase`, {});
  if (checkout_url) return location.assign(checkout_url);
  tell(`${message}.`);
  return showItem();
});

await tryTo(async () => {
  user = await whoIsSignedIn();
  await showItem();
});
