import { WorkspaceError, type api } from "@agent-workspace/client";
import { keepPathAlone, signInFor } from "./address.ts";
import { element, onPress, show, tell, tryTo } from "./page.ts";
import { sentenceOf, whoIsSignedIn, workspace } from "./service.ts";

type Verified = Extract<api.VerifyCheckoutAnswer, { status: "ok" }>;

/** Waits between questions after a payment that takes its time, such as a bank transfer. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000, 10_000, 10_000];

const address = location.href;
const query = new URLSearchParams(location.search);
// Who bought at the marketplace goes on to use it.
if (location.pathname === "/marketplace/success") {
  const onward = element("onward", HTMLAnchorElement);
  onward.href = "/app/marketplace/library";
  onward.textContent = "Open your library";
}
keepPathAlone();

/** Says what became of the payment that the person comes from. */
async function tellOfPayment(session_id: string, pauses = PAUSES_MS): Promise<void> {
  const verified = await workspace.request("POST", "/api/billing/verify-checkout", { body: { session_id } });
  if (verified.status === "ok") return tell(sentenceFor(verified));
  const [pause, ...later] = pauses;
  if (pause === undefined) {
    return tell("The payment has not arrived yet. What you bought appears here as soon as it does.");
  }
  tell("Waiting for the payment…");
  await new Promise((resolve) => {
    setTimeout(resolve, pause);
  });
  return tellOfPayment(session_id, later);
}

function sentenceFor(verified: Verified): string {
  if (verified.type === "credit_purchase") {
    return `Paid. Your team has ${verified.credits_added.toLocaleString("en")} more credits.`;
  }
  if (verified.type === "subscription") return `Paid. Your team is on the ${nameOf(verified.tier)} plan.`;
  return `Paid. ${verified.message}.`;
}

async function showPlan(): Promise<void> {
  const plan = await workspace.request("GET", "/api/billing/subscription");
  element("tier").textContent = nameOf(plan.tier);
  element("credits").textContent = plan.total_credits.toLocaleString();
  element("ends").hidden = plan.cancel_at === null;
  if (plan.cancel_at !== null) {
    element("ends").textContent = `The plan ends on ${new Date(plan.cancel_at).toLocaleDateString()}.`;
  }
  element("portal").hidden = plan.stripe_customer_id === null;
  show("plan-step", "wait-step");
}

const nameOf = (tier: string) => `${tier.charAt(0).toUpperCase()}${tier.slice(1)}`;

onPress("portal", async () => {
  const { url } = await workspace.request("GET", "/api/billing/portal");
  location.assign(url);
});

await tryTo(async () => {
  if (!(await whoIsSignedIn())) return signInFor(address);
  try {
    const sessionId = query.get("session_id");
    if (sessionId) await tellOfPayment(sessionId);
    else if (query.has("cancelled")) tell("Payment cancelled. Nothing was paid.");
  } catch (error) {
    // A payment that failed is told, and the plan shown all the same.
    if (!(error instanceof WorkspaceError)) throw error;
    tell(sentenceOf(error), true);
  }
  await showPlan();
});
