// The scenarios as a part of the page's address, "#run=…": deflated, in base64 of URLs; a link to them.

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function unpacked(text) {
  const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder().decode(await through(Uint8Array.from(letters, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")));
}

// The scenarios in the address, or null.
export async function readAddress() {
  const found = /^#run=([\w-]+)(?:,([\w-]+))?$/.exec(location.hash);
  if (!found || location.hash === inAddress) return null;
  try {
    return await Promise.all(found.slice(1).filter(Boolean).map(unpacked));
  } catch {
    return null; // a link that was cut
  }
}

let inAddress = "";
let waiting = 0;

// The address with these scenarios; `here` puts it into the address bar, at most twice a second.
export async function writeAddress(sides, here = false) {
  const texts = sides.map((side) => side.text);
  const link = async () => "#run=" + (await Promise.all(texts.map(packed))).join(",");
  if (!here) return location.href.split("#")[0] + (await link());
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    inAddress = await link();
    history.replaceState(null, "", inAddress);
  }, 500);
  return "";
}
