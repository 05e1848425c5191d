import { AsyncLocalStorage } from "node:async_hooks";
import { neonConfig } from "@neondatabase/serverless";
import { inject } from "vitest";
import { seeded } from "./random.ts";
import { IS_SOAK } from "./soak.ts";

/** Where a program is killed: at its nth call to the outside, which is then done or not, and whose answer is lost. */
export interface Kill {
  call: number;
  isDone: boolean;
}

interface Life {
  kill: Kill | undefined;
  calls: number;
  isDead: boolean;
  died: () => void;
}

const lives = new AsyncLocalStorage<Life>();

/** A call to the outside, of the database, the queue or a platform. A killed program never hears its answer. */
export async function outside<T>(act: () => Promise<T>): Promise<T> {
  const life = lives.getStore();
  if (!life) return act();
  life.calls += 1;
  if (!life.isDead && life.calls !== life.kill?.call) return act();
  const isDone = !life.isDead && life.kill?.isDone === true;
  life.isDead = true;
  if (isDone) await lives.exit(act);
  life.died();
  return new Promise<T>(() => {});
}

/** Every trip to the database is such a call from now on; its answer is read within it. */
export function makeTripsMortal(afterwards: () => Promise<void> = async () => {}): void {
  neonConfig.fetchFunction = (url: string, init: RequestInit) =>
    outside(async () => {
      const answer = await fetch(url, init);
      const whole = new Response(await answer.arrayBuffer(), answer);
      await afterwards();
      return whole;
    });
}

/** Runs a program up to its end, or to where it is killed. Returns whether it was. */
export async function runMortal(kill: Kill | undefined, program: () => Promise<unknown>): Promise<boolean> {
  const death = Promise.withResolvers<true>();
  const life = { kill, calls: 0, isDead: false, died: () => death.resolve(true) };
  const lived = lives.run(life, async () => {
    await program();
    return false;
  });
  return Promise.race([lived, death.promise]);
}

/** Makes a program, and what is to be so in the end. */
export type Prepare = () => Promise<{ program: () => Promise<unknown>; after: () => Promise<void> }>;

/**
 * Kills a program at its calls, and checks what is so in the end: in the long form (`npm run soak`) at every call;
 * else at a sample of them, by the seed, of which `steps` are the distances. Returns the number of the last call that was looked
 * at, which the program did not reach.
 */
export async function killed(
  prepare: Prepare,
  steps: readonly [least: number, most: number],
): Promise<number> {
  if (IS_SOAK) return killedEverywhere(prepare);
  const random = seeded(inject("fuzzSeed"));
  const [least, most] = steps;
  for (let call = random.whole(1, most - least + 1); ; call += random.whole(least, most)) {
    const { program, after } = await prepare();
    const isDead = await runMortal({ call, isDone: random.chance(0.5) }, program);
    await after();
    if (!isDead) return call;
  }
}

/** More calls than any of the programs has. */
const CALLS = 100;

/**
 * Kills a program before its first call, and after each of its calls: before the next call, all is as it is after this one.
 * `prepare` returns the program and what is to be so in the end. Returns the number of calls.
 */
export async function killedEverywhere(prepare: Prepare): Promise<number> {
  const each = Array.from({ length: CALLS }, (_, nth) => ({ call: nth + 1, isDone: true }));
  for (const kill of [{ call: 1, isDone: false }, ...each]) {
    const { program, after } = await prepare();
    const isDead = await runMortal(kill, program);
    await after();
    if (!isDead) return kill.call - 1;
  }
  throw new Error(`The program has more than ${CALLS} calls`);
}
