import {
  callSignedIn,
  element,
  onPress,
  Refusal,
  show,
  signInFor,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

/** Waits between questions after a payment that takes its time, such as a bank transfer. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000, 10_000, 10_000];

const address = location.href;
const query = new URLSearchParams(location.search);
const sessionId = query.get("session_id");
// Who bought at the marketplace goes on to use it.
if (location.pathname === "/marketplace/success") {
  element("onward").href = "/app/marketplace/library";
  element("onward").textContent = "Open your library";
}
history.replaceState(null, "", location.pathname);

/** Says what became of the payment that the person comes from. */
async function tellOfPayment(pauses = PAUSES_MS) {
  const verified = await callSignedIn("POST", "/api/billing/verify-checkout", { session_id: sessionId });
  if (verified.status === "ok") return tell(sentenceFor(verified));
  const [pause, ...later] = pauses;
  if (pause === undefined) {
    return tell("The payment has not arrived yet. What you bought appears here as soon as it does.");
  }
  tell("Waiting for the payment…");
  await new Promise((resolve) => setTimeout(resolve, pause));
  return tellOfPayment(later);
}

function sentenceFor({ type, credits_added, tier, message }) {
  if (type === "credit_purchase")
    return `Paid. Your team has ${credits_added.toLocaleString("en")} more credits.`;
  if (type === "subscription") return `Paid. Your team is on the ${nameOf(tier)} plan.`;
  return `Paid. ${message}.`;
}

async function showPlan() {
  const plan = await callSignedIn("GET", "/api/billing/subscription");
  element("tier").textContent = nameOf(plan.tier);
  element("credits").textContent = plan.total_credits.toLocaleString();
  element("ends").hidden = plan.cancel_at === null;
  if (plan.cancel_at !== null) {
    element("ends").textContent = `The plan ends on ${new Date(plan.cancel_at).toLocaleDateString()}.`;
  }
  element("portal").hidden = plan.stripe_customer_id === null;
  show("plan-step", "wait-step");
}

function nameOf(tier) {
  return `${tier.charAt(0).toUpperCase()}${tier.slice(1)}`;
}

onPress("portal", async () => {
  const { url } = await callSignedIn("GET", "/api/billing/portal");
  location.assign(url);
});

await tryTo(async () => {
  if (!(await whoIsSignedIn())) return signInFor(address);
  try {
    if (sessionId) await tellOfPayment();
    else if (query.has("cancelled")) tell("Payment cancelled. Nothing was paid.");
  } catch (error) {
    // A payment that failed is told, and the plan shown all the same.
    if (!(error instanceof Refusal)) throw error;
    tell(error.message, true);
  }
  await showPlan();
});
