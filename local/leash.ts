import { ChildProcess, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/**
 * Reads process ids, one per line, with a minus sign once a process has ended, because its id may be reused. When the
 * input ends, because this process is gone, it kills the processes that still run.
 */
const WATCHER = `trap '' INT TERM HUP
pids=" "
while read -r pid; do
  case $pid in
    -*) pids="\${pids%%" \${pid#-} "*} \${pids#*" \${pid#-} "}" ;;
    *) pids="$pids$pid " ;;
  esac
done
[ -z "\${pids# }" ] || kill -9 $pids 2>/dev/null`;

/**
 * From now on, child processes of this process end with it, however it ends: a workerd that outlives a killed service
 * would go on writing to the same files. `release` ends the watch and leaves nothing behind.
 */
export function leashChildren(): { release: () => void } {
  const watcher = spawn("sh", ["-c", WATCHER], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watcher.unref();
  // The watcher's end must not end the service.
  watcher.on("error", () => {});
  watcher.stdin.on("error", () => {});
  const onChild = (message: unknown) => {
    const child = message instanceof Object && "process" in message ? message.process : undefined;
    if (!(child instanceof ChildProcess)) return;
    child.once("spawn", () => {
      const { pid } = child;
      watcher.stdin.write(`${pid}\n`);
      child.once("exit", () => watcher.stdin.write(`-${pid}\n`));
    });
  };
  subscribe("child_process", onChild);
  return {
    release: () => {
      unsubscribe("child_process", onChild);
      watcher.kill("SIGKILL");
    },
  };
}
