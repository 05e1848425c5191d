import { z } from "zod";
import type { Books } from "./books.ts";
import { invalidParameter, ApiError } from "./api-error.ts";
import type { Form } from "./form.ts";
import { createAccount, createAccountLink } from "./objects/accounts.ts";
import { createCustomer } from "./objects/customers.ts";
import { listDisputes } from "./objects/disputes.ts";
import { listInvoices } from "./objects/invoices.ts";
import { createPortalSession } from "./objects/portal-sessions.ts";
import { createSession } from "./objects/sessions.ts";
import { cancelSubscription, updateSubscription } from "./objects/subscription-changes.ts";
import { createTransfer, reverseTransfer } from "./objects/transfers.ts";
import { readParameters } from "./parameters.ts";
import { render } from "./render.ts";
import type { Kind } from "./store.ts";

interface Call {
  method: "GET" | "POST" | "DELETE";
  /** Below `/v1/`; a group is an id. */
  path: RegExp;
  run(books: Books, form: Form, id: string): object;
}

const CALLS: readonly Call[] = [
  { method: "POST", path: /^customers$/u, run: createCustomer },
  { method: "POST", path: /^checkout\/sessions$/u, run: createSession },
  retrieve("checkout/sessions", "checkout.session"),
  retrieve("subscriptions", "subscription"),
  {
    method: "POST",
    path: /^subscriptions\/(\w+)$/u,
    run: (books, form, id) => updateSubscription(books, id, form),
  },
  {
    method: "DELETE",
    path: /^subscriptions\/(\w+)$/u,
    run: (books, form, id) => cancelSubscription(books, id, form),
  },
  retrieve("invoices", "invoice"),
  { method: "GET", path: /^invoices$/u, run: listInvoices },
  retrieve("payment_intents", "payment_intent"),
  retrieve("charges", "charge"),
  retrieve("disputes", "dispute"),
  { method: "GET", path: /^disputes$/u, run: listDisputes },
  retrieve("accounts", "account"),
  { method: "POST", path: /^accounts$/u, run: createAccount },
  { method: "POST", path: /^account_links$/u, run: createAccountLink },
  { method: "POST", path: /^billing_portal\/sessions$/u, run: createPortalSession },
  { method: "POST", path: /^transfers$/u, run: createTransfer },
  {
    method: "POST",
    path: /^transfers\/(\w+)\/reversals$/u,
    run: (books, form, id) => reverseTransfer(books, id, form),
  },
];

function retrieve(path: string, kind: Kind): Call {
  return {
    method: "GET",
    path: new RegExp(`^${path}/(\\w+)$`, "u"),
    run(books, form, id) {
      readParameters(z.strictObject({}), form);
      return books.store.get(kind, id);
    },
  };
}

/** Does a call; `path` is that below `/v1/`. Throws `ApiError`. */
export function runCall(books: Books, method: string, path: string, form: Form): object {
  const call = CALLS.find((each) => each.method === method && each.path.test(path));
  if (!call) {
    throw new ApiError(
      404,
      {
        type: "invalid_request_error",
        message: `Unrecognized request URL (${method}: /v1/${path}). The stand-in knows the calls that the service makes.`,
      },
      { hasBegun: false },
    );
  }
  const { expand, ...rest } = form;
  const [, id = ""] = call.path.exec(path) ?? [];
  const wanted = readExpand(expand);
  return render(books.store, call.run(books, rest, id), wanted);
}

function readExpand(expand: Form[string] | undefined): string[] {
  const parsed = z.array(z.string()).default([]).safeParse(expand);
  if (!parsed.success) throw invalidParameter("Invalid array", "expand");
  return parsed.data;
}
