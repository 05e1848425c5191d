import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Books } from "./books.ts";
import { missingObject } from "./api-error.ts";
import { eventBody } from "./events.ts";
import { type Faults, WishedFaults } from "#stand-ins/shared/faults.ts";
import { decodeForm } from "./form.ts";
import { onboardAccount } from "./objects/accounts.ts";
import { refundCharge } from "./objects/charges.ts";
import { expireSession, failSession, paySession } from "./objects/checkout.ts";
import { setCard } from "./objects/customers.ts";
import { closeDispute, disputeCharge } from "./objects/disputes.ts";
import { advanceSubscription } from "./objects/subscription-changes.ts";
import type { Kind } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

const LISTED = 1_000;

export interface ControlParts {
  books: Books;
  faults: Faults;
  webhooks: Webhooks;
}

/** The fields of a control: JSON, or a form of the stand-in's pages. */
type Fields = Readonly<Record<string, unknown>>;

interface Control {
  /** Below `/_standin/`; the groups are ids and verbs. */
  path: RegExp;
  run(parts: ControlParts, fields: Fields, path: readonly string[]): object;
}

const Flag = z.union([z.boolean(), z.stringbool()]);
const Count = z.coerce.number().int().min(1);

const CONTROLS: readonly Control[] = [
  {
    path: /^sessions\/(\w+)\/pay$/u,
    run({ books }, fields, [id = ""]) {
      return paySession(books, id, read(fields, { later: Flag.default(false) }));
    },
  },
  { path: /^sessions\/(\w+)\/fail$/u, run: ({ books }, _, [id = ""]) => failSession(books, id) },
  { path: /^sessions\/(\w+)\/expire$/u, run: ({ books }, _, [id = ""]) => expireSession(books, id) },
  {
    path: /^subscriptions\/(\w+)\/advance$/u,
    run: ({ books }, _, [id = ""]) => advanceSubscription(books, id),
  },
  {
    path: /^charges\/(\w+)\/refund$/u,
    run: ({ books }, fields, [id = ""]) =>
      refundCharge(books, id, read(fields, { amount: Count.optional() }).amount),
  },
  { path: /^charges\/(\w+)\/dispute$/u, run: ({ books }, _, [id = ""]) => disputeCharge(books, id) },
  {
    path: /^disputes\/(\w+)\/close$/u,
    run: ({ books }, fields, [id = ""]) =>
      closeDispute(books, id, read(fields, { outcome: z.enum(["won", "lost"]) }).outcome),
  },
  {
    path: /^accounts\/(\w+)\/onboard$/u,
    run: ({ books }, fields, [id = ""]) =>
      onboardAccount(books, id, read(fields, { accepted: Flag.default(true) }).accepted),
  },
  {
    path: /^customers\/(\w+)\/card$/u,
    run({ books }, fields, [id = ""]) {
      const customer = books.store.get("customer", id);
      setCard(books, id, read(fields, { card: z.enum(["works", "fails"]) }).card);
      return customer;
    },
  },
  {
    path: /^events\/(\w+)\/send$/u,
    run({ books }, _, [id = ""]) {
      if (!books.events.again(id, books.clock())) throw missingObject("event", id);
      return {};
    },
  },
  {
    path: /^webhooks\/(hold|release|shuffle|duplicate|drop)$/u,
    run({ webhooks }, fields, [verb = ""]) {
      if (verb === "release") return webhooks.setMode(undefined);
      if (verb === "drop") return webhooks.setMode({ drop: read(fields, { times: Count.default(1) }).times });
      return webhooks.setMode({ [verb]: true });
    },
  },
  {
    path: /^faults$/u,
    run({ faults }, fields) {
      const wished = valid(WishedFaults, fields);
      faults.set(wished.faults);
      return wished;
    },
  },
];

/**
 * Does what the other side of a payment does: the payer, the card's bank, time. `path` is that below `/_standin/`. Throws
 * `ApiError`, and `AppError` for fields that do not fit; `undefined` when there is no such control.
 */
export function runControl(parts: ControlParts, path: string, fields: Fields): object | undefined {
  const control = CONTROLS.find((each) => each.path.test(path));
  if (!control) return undefined;
  return parts.books.store.transaction(() =>
    control.run(parts, fields, control.path.exec(path)?.slice(1) ?? []),
  );
}

/** What tests look at: all objects of a kind, newest first, or the events with what became of them. */
export function listForTests({ books }: ControlParts, path: string): object[] | undefined {
  if (path === "events") {
    return books.events.list(LISTED).map((event) => ({
      id: event.id,
      type: event.type,
      object: event.object_id,
      outcome: event.outcome,
      attempts: event.attempts,
      failure: event.failure,
      body: eventBody(event),
    }));
  }
  const kind = LISTS.find((each) => path === `objects/${each}`);
  return kind && books.store.list(kind, LISTED);
}

const LISTS: readonly Kind[] = [
  "account",
  "charge",
  "checkout.session",
  "customer",
  "dispute",
  "invoice",
  "payment_intent",
  "refund",
  "subscription",
  "transfer",
  "transfer_reversal",
];

/** Decodes the body of a control. */
export function readFields(contentType: string, body: string): Fields {
  if (body === "") return {};
  return contentType.startsWith("application/json")
    ? parseJson(body, z.record(z.string(), z.unknown()))
    : decodeForm(body);
}

function read<S extends z.ZodRawShape>(fields: Fields, shape: S): z.infer<z.ZodObject<S>> {
  return valid(z.object(shape), fields);
}

function valid<T>(schema: z.ZodType<T>, fields: Fields): T {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("invalid_input", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}
