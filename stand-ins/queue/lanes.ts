/** How many deliveries may be under way: of the lanes that `favoured` matches, and of all others. Neither takes the other's. */
export interface Places {
  favoured: { lanes: RegExp; places: number };
  others: number;
}

/** Lanes that share a number of places. */
interface Share {
  readonly places: number;
  underWay: number;
  /** Lanes that may have a message that is due, in the order of their turns. */
  readonly turns: Set<string>;
}

/**
 * Says which lane delivers next. Lanes take turns, one message each; how many messages wait in a lane makes no difference. A
 * lane is a flow-control key, or the address of messages without one. Lanes live in memory only.
 */
export class Lanes {
  readonly #favouredLanes: RegExp;
  readonly #favoured: Share;
  readonly #others: Share;
  readonly #underWay = new Map<string, Set<string>>();

  constructor({ favoured, others }: Places) {
    this.#favouredLanes = favoured.lanes;
    this.#favoured = { places: favoured.places, underWay: 0, turns: new Set() };
    this.#others = { places: others, underWay: 0, turns: new Set() };
  }

  /** Puts a lane that may have a message that is due behind all others, unless it waits for its turn already. */
  queue(lane: string): void {
    this.#shareOf(lane).turns.add(lane);
  }

  /** Takes the next lane, if one waits and a place is free for it. Otherwise undefined. */
  next(): string | undefined {
    for (const { turns, underWay, places } of [this.#favoured, this.#others]) {
      const [lane] = turns;
      if (lane === undefined || underWay >= places) continue;
      turns.delete(lane);
      return lane;
    }
    return undefined;
  }

  /** The messages of a lane that are under way. */
  underWay(lane: string): ReadonlySet<string> {
    return this.#underWay.get(lane) ?? new Set();
  }

  begin(lane: string, id: string): void {
    const ids = this.#underWay.get(lane) ?? new Set();
    this.#underWay.set(lane, ids.add(id));
    this.#shareOf(lane).underWay += 1;
  }

  /** A delivery is over: its lane may have another message. */
  end(lane: string, id: string): void {
    const ids = this.#underWay.get(lane);
    ids?.delete(id);
    if (ids?.size === 0) this.#underWay.delete(lane);
    this.#shareOf(lane).underWay -= 1;
    this.queue(lane);
  }

  #shareOf(lane: string): Share {
    return this.#favouredLanes.test(lane) ? this.#favoured : this.#others;
  }
}
