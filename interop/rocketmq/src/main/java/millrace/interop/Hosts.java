package millrace.interop;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/** Hosts as text: {@code 10.1.2.3:40123} or {@code [2001:db8:0:0:0:0:0:17]:40123}. */
final class Hosts {
    private Hosts() {
    }

    static InetSocketAddress parse(String text) throws UnknownHostException {
        int colon = text.lastIndexOf(':');
        String address = text.substring(0, colon).replace("[", "").replace("]", "");
        return new InetSocketAddress(InetAddress.getByName(address), Integer.parseInt(text.substring(colon + 1)));
    }

    static String format(SocketAddress host) {
        InetSocketAddress socket = (InetSocketAddress) host;
        String address = socket.getAddress().getHostAddress();
        return (socket.getAddress() instanceof Inet6Address ? "[" + address + "]" : address) + ":" + socket.getPort();
    }
}
