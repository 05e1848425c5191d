/** Work that is asked for often, and done at a pace. */
export interface Paced {
  ask(): void;
  /** Nothing is done any more. */
  end(): void;
}

/** Does `work` at once; what is asked until `pauseMs` after it has ended is one more time together. */
export function paced(work: () => Promise<unknown>, pauseMs: number): Paced {
  let state: "idle" | "busy" | "asked" | "ended" = "idle";
  let timer = 0;
  const begin = () => {
    state = "busy";
    const rest = () => {
      if (state === "ended") return;
      timer = setTimeout(() => {
        if (state === "asked") begin();
        else state = "idle";
      }, pauseMs);
    };
    work().then(rest, rest);
  };
  return {
    ask() {
      if (state === "idle") begin();
      else if (state === "busy") state = "asked";
    },
    end() {
      state = "ended";
      clearTimeout(timer);
    },
  };
}
