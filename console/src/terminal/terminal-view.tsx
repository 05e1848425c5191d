import { NotFoundError } from "@agent-workspace/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { workspace } from "../service/workspace.ts";
import { KEYS, openScreen, type Screen } from "./screen.ts";

/** How a terminal stands; `over` says how it ended. */
type Connection = { state: "opening" | "open" | "lost" } | { state: "over"; words: string };

interface TerminalViewProps {
  project: string;
  target: string;
  /** A session to resume, of which all output that the service keeps is shown again. */
  session: string | undefined;
  name: string;
  isShown: boolean;
  isReadAloud: boolean;
  /** The session is known; undefined when the one to resume has ended. */
  onSession: (session: string | undefined) => void;
  /** The person leaves with Shift+Tab. */
  onLeave: () => void;
  /** Opens another terminal in place of this one, which has ended. */
  onAgain: () => void;
}

/** A shell in a project, on a screen. */
export function TerminalView(props: TerminalViewProps) {
  const { project, target, name, isShown, isReadAloud } = props;
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>();
  const latest = useRef(props);
  latest.current = props;
  const [connection, setConnection] = useState<Connection>({ state: "opening" });
  const [notice, setNotice] = useState("");

  useEffect(() => {
    if (!host.current) return undefined;
    const { session } = latest.current;
    let isClosed = false;
    const opened = openScreen(
      host.current,
      {
        type: (data) => {
          try {
            shell.write(data);
          } catch (error) {
            setNotice(sentenceOf(error));
          }
        },
        resize: (columns, rows) => shell.resize(columns, rows),
        leave: () => latest.current.onLeave(),
      },
      session !== undefined,
    );
    screen.current = opened;
    opened.readAloud(latest.current.isReadAloud);
    const shell = workspace.terminal(project, {
      target,
      columns: opened.columns,
      rows: opened.rows,
      ...(session !== undefined && { session, position: 0 }),
      onConnection: (isConnected) => {
        if (isConnected) {
          setNotice("");
          latest.current.onSession(shell.session);
        }
        setConnection((before) =>
          before.state === "over" ? before : { state: isConnected ? "open" : "lost" },
        );
      },
      onNotice: ({ message }) => {
        if (typeof message === "string") setNotice(message);
      },
    });
    const follow = async () => {
      try {
        for await (const { data } of shell.output()) await opened.show(data);
        if (isClosed) return;
        setConnection({ state: "over", words: shell.reason || "The shell has ended" });
      } catch (error) {
        if (isClosed) return;
        const isGone = error instanceof NotFoundError && session !== undefined;
        setConnection({ state: "over", words: isGone ? "The session has ended" : sentenceOf(error) });
      }
      latest.current.onSession(undefined);
    };
    void follow();
    return () => {
      isClosed = true;
      shell.close();
      opened.close();
    };
  }, [project, target]);

  useEffect(() => screen.current?.readAloud(isReadAloud), [isReadAloud]);
  useEffect(() => {
    if (isShown) screen.current?.focus();
  }, [isShown]);

  return (
    <section class="session" aria-label={name} hidden={!isShown}>
      <p class="small" role="status">
        {connection.state === "opening" && "Opening a shell… "}
        {connection.state === "open" && "Connected. "}
        {connection.state === "lost" && "Offline. Reconnecting… The shell keeps running. "}
        {connection.state === "over" && `${connection.words}. `}
        {connection.state !== "over" && notice}
      </p>
      {connection.state === "over" && (
        <p>
          <button type="button" class="primary" onClick={props.onAgain}>
            New terminal
          </button>
        </p>
      )}
      <div class="screen" ref={host} />
      <div class="touch-keys" role="group" aria-label="Keys">
        {KEYS.map((key) => (
          <button type="button" key={key} onClick={() => screen.current?.press(key)}>
            {key}
          </button>
        ))}
      </div>
    </section>
  );
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : "The terminal has ended";
}
