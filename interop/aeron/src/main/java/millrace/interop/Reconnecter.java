package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * A client that outlives its driver: `directory channel streamId count`. Sends messages to itself and prints `exchanged
 * <count>`; when the driver is gone it prints `lost <exception>`. At the line `again` it connects to the driver that is
 * there now, exchanges as many once more, and ends.
 */
public final class Reconnecter
{
    private static final long DRIVER_TIMEOUT_MS = 3000;
    private static final int LENGTH = 100;

    private volatile String failure;
    private long received;

    public static void main(final String[] args) throws Exception
    {
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        final Reconnecter first = new Reconnecter();
        final Aeron aeron = first.connect(args[0]);
        first.exchange(aeron, args[1], Integer.parseInt(args[2]), Long.parseLong(args[3]));
        while (null == first.failure)
        {
            Thread.sleep(10);
        }
        System.out.println("lost " + first.failure);
        CloseHelper.quietClose(aeron);
        input.readLine();
        final Reconnecter second = new Reconnecter();
        try (Aeron again = second.connect(args[0]))
        {
            second.exchange(again, args[1], Integer.parseInt(args[2]), Long.parseLong(args[3]));
        }
        System.exit(0);
    }

    private Aeron connect(final String directory)
    {
        return Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(directory)
            .driverTimeoutMs(DRIVER_TIMEOUT_MS)
            .errorHandler((throwable) -> failure = throwable.getClass().getSimpleName()));
    }

    private void exchange(final Aeron aeron, final String channel, final int streamId, final long count)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LENGTH]);
        final YieldingIdleStrategy idle = new YieldingIdleStrategy();
        final Subscription subscription = aeron.addSubscription(channel, streamId);
        final Publication publication = aeron.addPublication(channel, streamId);
        long sent = 0;
        while (received < count)
        {
            buffer.putLong(0, sent);
            if (sent < count && publication.offer(buffer, 0, LENGTH) > 0)
            {
                sent++;
            }
            subscription.poll(
                (bytes, offset, length, header) ->
                {
                    if (bytes.getLong(offset) != received)
                    {
                        throw new IllegalStateException("message " + bytes.getLong(offset) + " came for " + received);
                    }
                    received++;
                },
                64);
            idle.idle();
        }
        System.out.println("exchanged " + received);
    }
}
