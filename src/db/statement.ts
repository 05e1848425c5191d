import { DrizzleQueryError, is, Param, Placeholder, QueryPromise, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Db } from "#src/platform/db/client.ts";
import { CASING } from "./casing.ts";

/**
 * Placeholder for a value in a statement that is built before the value is known. In raw SQL, cast it: `${id}::uuid`.
 */
export type Slot<T> = Placeholder<string, T>;

type Slots<S> = { readonly [Name in keyof S]: Slot<unknown> };
type ValuesOf<S> = { readonly [Name in keyof S]: S[Name] extends Slot<infer T> ? T : never };
type Values = Readonly<Record<string, unknown>>;

/** Builds statements and reaches no database. */
export type Draft = NeonHttpDatabase;

/** A drizzle query, built or raw. */
type Query<T> = PromiseLike<T> & BatchItem<"pg">;

/**
 * A statement whose text is built once per isolate instead of at each call. For the queries of every request, drizzle's
 * query building took an eighth of the Worker's time. `build` runs at the first use, with a slot for each name that it
 * accesses, and must not depend on anything else. The returned query is awaited, or is part of a `db.batch`. The
 * database prepares nothing, so it plans for the actual values.
 */
export function statement<S extends Slots<S>, T>(
  build: (draft: Draft, slots: S) => Query<T>,
): (db: Db, values: ValuesOf<S>) => BoundStatement<T> {
  let text: Text<T> | undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a slot under each name
  return (db, values) => new BoundStatement(db, (text ??= textOf(build(draft, slots as S))), values);
}

/** A statement with its values. Awaiting it makes one round trip. Throws drizzle's error, which wraps the driver's. */
export class BoundStatement<T> extends QueryPromise<T> {
  declare readonly _: { readonly dialect: "pg"; readonly result: T };
  readonly #db: Db;
  readonly #text: Text<T>;
  readonly #params: unknown[];

  constructor(db: Db, text: Text<T>, values: Values) {
    super();
    this.#db = db;
    this.#text = text;
    this.#params = text.params.map((valueOf) => valueOf(values));
  }

  override async execute(): Promise<T> {
    const { text, isArrayMode, mapResult } = this.#text;
    const options = { fullResults: true, arrayMode: isArrayMode } as const;
    let result: unknown;
    try {
      result = await this.#db.$client.query(text, this.#params, options);
    } catch (error) {
      throw new DrizzleQueryError(text, this.#params, error instanceof Error ? error : undefined);
    }
    return mapResult(result);
  }

  /** The interface that `db.batch` expects of its queries. */
  _prepare(): object {
    const { text, isArrayMode, mapResult } = this.#text;
    return {
      getQuery: () => ({ sql: text, params: this.#params }),
      isResponseInArrayMode: () => isArrayMode,
      mapResult,
    };
  }
}

interface Text<T> {
  text: string;
  /** Functions that select the parameters, in order, from the values by name. */
  params: ((values: Values) => unknown)[];
  /** Whether the driver returns rows as arrays. */
  isArrayMode: boolean;
  mapResult: (result: unknown) => T;
}

/** A query of a batch as drizzle's driver for Neon over HTTP expects it; drizzle's public types do not include it. */
interface Prepared<T> {
  getQuery(): { sql: string; params: unknown[] };
  isResponseInArrayMode(): boolean;
  mapResult(result: unknown, isFromBatch: true): T;
}

const draft: Draft = drizzle.mock({ casing: CASING });

/** Accepts any slot name. */
const slots = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

function textOf<T>(query: Query<T>): Text<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see `Prepared`
  const preparable = query as unknown as { _prepare(): Prepared<T> };
  const prepared = preparable._prepare();
  const { sql: text, params } = prepared.getQuery();
  return {
    text,
    params: params.map(readerOf),
    isArrayMode: prepared.isResponseInArrayMode(),
    mapResult: (result) => prepared.mapResult(result, true),
  };
}

/**
 * As drizzle's `fillPlaceholders`, but decided once: a slot, a slot of a column that encodes its values, or a constant.
 */
function readerOf(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value: slot } = param;
    return (values) => encoder.mapToDriverValue(values[slot.name]);
  }
  return () => param;
}
