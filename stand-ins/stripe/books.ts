import type Stripe from "stripe";
import type { EventStore } from "./events.ts";
import type { Kind, Kinds, ObjectStore } from "./store.ts";

/** What every call works on: the account's objects, their events and the clock. */
export interface Books {
  store: ObjectStore;
  events: EventStore;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** The stand-in's own address, where its pages are. */
  url: () => string;
}

/** The time of Stripe's objects. */
export function seconds(books: Books): number {
  return Math.floor(books.clock() / 1000);
}

/** Stores an object and says so in an event, if one is named. */
export function record<K extends Kind>(
  books: Books,
  object: Kinds[K] & { object: K },
  ...types: readonly Stripe.Event["type"][]
): Kinds[K] {
  books.store.put<K>(object);
  for (const type of types) books.events.add(type, object, books.clock());
  return object;
}
