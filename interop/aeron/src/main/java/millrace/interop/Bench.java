package millrace.interop;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Arrays;

/**
 * One process of a benchmark: `role directory channel streamId length [channel streamId]`, the second pair for answers.
 * Prints `open`. A line of its input is how many messages a run has; it prints `ready`, and at the end `done` with the
 * figures of a ping: median, 99 % and 99.9 % in nanoseconds. It ends with its input.
 */
public final class Bench
{
    private static final int FRAGMENT_LIMIT = 256;
    /** The processes of a benchmark may want more cores than there are: waiting is no death. */
    private static final long DRIVER_TIMEOUT_MS = 60_000;

    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    private final UnsafeBuffer message;
    private long received;
    private int sum;

    private Bench(final int length)
    {
        message = new UnsafeBuffer(new byte[length]);
    }

    public static void main(final String[] args) throws Exception
    {
        final String channel = args[2];
        final int streamId = Integer.parseInt(args[3]);
        final Bench bench = new Bench(Integer.parseInt(args[4]));
        try (Aeron aeron = Aeron.connect(context(args[1])))
        {
            switch (args[0])
            {
                case "publish":
                    bench.publish(aeron.addPublication(channel, streamId));
                    break;
                case "subscribe":
                    bench.subscribe(aeron.addSubscription(channel, streamId));
                    break;
                case "ping":
                    bench.ping(
                        aeron.addExclusivePublication(channel, streamId),
                        aeron.addSubscription(args[5], Integer.parseInt(args[6])));
                    break;
                case "pong":
                    bench.pong(
                        aeron.addSubscription(channel, streamId),
                        aeron.addExclusivePublication(args[5], Integer.parseInt(args[6])));
                    break;
                default:
                    throw new IllegalArgumentException(args[0]);
            }
        }
        System.exit(0);
    }

    private static Aeron.Context context(final String directory)
    {
        return new Aeron.Context().aeronDirectoryName(directory).driverTimeoutMs(DRIVER_TIMEOUT_MS);
    }

    private long next(final String answer) throws IOException
    {
        System.out.println(answer);
        final String line = input.readLine();
        if (null != line)
        {
            System.out.println("ready");
        }
        return null == line ? 0 : Long.parseLong(line);
    }

    private void publish(final Publication publication) throws IOException
    {
        String answer = "open";
        for (long count; (count = next(answer)) > 0; answer = "done")
        {
            for (long sent = 0; sent < count; sent++)
            {
                message.putByte(0, (byte)sent);
                offer(publication, message, 0, message.capacity());
            }
        }
    }

    private static void offer(
        final Publication publication, final org.agrona.DirectBuffer buffer, final int offset, final int length)
    {
        while (publication.offer(buffer, offset, length) < 0)
        {
            Thread.onSpinWait();
        }
    }

    private void subscribe(final Subscription subscription) throws IOException
    {
        final FragmentHandler handler = (buffer, offset, length, header) ->
        {
            sum += buffer.getByte(offset);
            received++;
        };
        String answer = "open";
        for (long count; (count = next(answer)) > 0; answer = "done " + sum)
        {
            received = 0;
            while (received < count)
            {
                if (0 == subscription.poll(handler, FRAGMENT_LIMIT))
                {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private void ping(final Publication publication, final Subscription subscription) throws IOException
    {
        final FragmentHandler handler = (buffer, offset, length, header) -> received++;
        String answer = "open";
        for (long count; (count = next(answer)) > 0;)
        {
            final long[] times = new long[(int)count];
            for (int i = 0; i < count; i++)
            {
                received = 0;
                final long startNs = System.nanoTime();
                offer(publication, message, 0, message.capacity());
                while (0 == received)
                {
                    subscription.poll(handler, 1);
                }
                times[i] = System.nanoTime() - startNs;
            }
            Arrays.sort(times);
            answer = "done " + percentile(times, 0.5) + " " + percentile(times, 0.99) + " " + percentile(times, 0.999);
        }
    }

    private static long percentile(final long[] sorted, final double share)
    {
        return sorted[Math.max(0, (int)Math.ceil(share * sorted.length) - 1)];
    }

    private void pong(final Subscription subscription, final Publication publication) throws IOException
    {
        final FragmentHandler handler = (buffer, offset, length, header) ->
        {
            offer(publication, buffer, offset, length);
            received++;
        };
        String answer = "open";
        for (long count; (count = next(answer)) > 0; answer = "done")
        {
            received = 0;
            while (received < count)
            {
                subscription.poll(handler, 1);
            }
        }
    }
}
