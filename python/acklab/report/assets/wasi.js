// What the simulator asks of its host (WASI preview 1): standard input and output, and an exit status.

class Exit extends Error {
  constructor(status) {
    super(`exit status ${status}`);
    this.status = status;
  }
}

// Runs the program once on `input`: {status, out, said} with what it wrote to standard output and to standard error.
export function runProgram(module, input) {
  const written = { 1: [], 2: [] };
  let at = 0;
  let memory = null;
  const view = () => new DataView(memory.buffer);
  // The pieces of memory that a list of pairs (address, length) names.
  const pieces = (list, count) => Array.from({ length: count }, (_, i) => new Uint8Array(memory.buffer, view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true)));
  const host = {
    fd_read(file, list, count, result) {
      let total = 0;
      for (const piece of pieces(list, count)) {
        const some = input.subarray(at, at + piece.length);
        piece.set(some);
        at += some.length;
        total += some.length;
      }
      view().setUint32(result, total, true);
      return 0;
    },
    fd_write(file, list, count, result) {
      let total = 0;
      for (const piece of pieces(list, count)) {
        written[file].push(piece.slice());
        total += piece.length;
      }
      view().setUint32(result, total, true);
      return 0;
    },
    // No environment and no arguments.
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    // Keys of hash maps, whose order nothing shows.
    random_get: () => 0,
    proc_exit(status) {
      throw new Exit(status);
    },
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host });
  const exports = /** @type {any} */ (instance.exports);
  memory = exports.memory;
  let status = 0;
  let trapped = "";
  try {
    exports._start();
  } catch (error) {
    // A panic ends in a trap, after it has said why.
    status = error instanceof Exit ? error.status : 1;
    if (!(error instanceof Exit)) trapped = `the run failed: ${error.message}\n`;
  }
  return { status, out: joined(written[1]), said: trapped + new TextDecoder().decode(joined(written[2])) };
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((sum, part) => (all.set(part, sum), sum + part.length), 0);
  return all;
}
