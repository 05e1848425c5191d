import { AsyncLocalStorage } from "node:async_hooks";

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

/** More calls than any of the programs has. */
const CALLS = 100;

/**
 * Kills a program at each of its calls, before and after the call is done. `prepare` returns the program and what is to be
 * so in the end. Returns the number of calls.
 */
export async function killedEverywhere(
  prepare: () => Promise<{ program: () => Promise<unknown>; after: () => Promise<void> }>,
): Promise<number> {
  for (let call = 1; call < CALLS; call += 1) {
    let isDead = false;
    for (const isDone of [false, true]) {
      const { program, after } = await prepare();
      isDead = await runMortal({ call, isDone }, program);
      await after();
    }
    if (!isDead) return call - 1;
  }
  throw new Error(`The program has more than ${CALLS} calls`);
}
